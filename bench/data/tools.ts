/** Ten servers of thirty tools each, written as such servers are: the same in every run. @module */
import type { Params, ToolInfo } from "../../lib/protocol/types.ts";

export interface Shop {
  alias: string;
  /** The user's line about it. */
  description: string;
  tools: readonly ToolInfo[];
}

/** A noun of a service: what it is called, and its fields. */
type Noun = readonly [name: string, what: string, fields: Readonly<Record<string, Params>>];

const text = (description: string, more: Params = {}) => ({ type: "string", description, ...more });
const whole = (description: string, more: Params = {}) => ({
  type: "integer",
  description,
  ...more,
});
const flag = (description: string) => ({ type: "boolean", description, default: false });
const one = (description: string, ...values: string[]) => text(description, { enum: values });
const some = (description: string) => ({ type: "array", items: { type: "string" }, description });
const time = (description: string) => text(`${description}, as an ISO 8601 timestamp`);

const PEOPLE = {
  assignee: text("Login name of the person responsible"),
  labels: some("Names of the labels; those that do not exist are created"),
};

/** Six nouns of each service; with five verbs that makes thirty tools. */
const SERVICES: Readonly<Record<string, readonly [description: string, ...nouns: Noun[]]>> = {
  tracker: [
    "Issues, sprints and releases of the product teams",
    ["issue", "an issue", {
      title: text("One line that says what is wrong or wanted"),
      body: text("Details in Markdown, with steps to reproduce where it is a bug"),
      priority: one("How urgent it is", "low", "normal", "high", "critical"),
      ...PEOPLE,
    }],
    ["comment", "a comment on an issue", {
      issue: text("Key of the issue, like WEB-142"),
      body: text("The comment in Markdown"),
      internal: flag("Hide it from people outside the organisation"),
    }],
    ["sprint", "a sprint", {
      name: text("Name shown on the board"),
      starts: time("Beginning"),
      ends: time("End"),
      goal: text("What the team wants to have reached by then"),
    }],
    ["epic", "an epic", {
      title: text("Title"),
      summary: text("What it is about, in a paragraph"),
      owner: text("Login name of the owner"),
      colour: one("Colour on the roadmap", "blue", "green", "red", "grey"),
    }],
    ["release", "a release", {
      version: text("Semantic version, like 2.4.0"),
      date: text("Planned day as YYYY-MM-DD"),
      notes: text("Release notes in Markdown"),
      frozen: flag("Accept no more issues"),
    }],
    ["worklog", "a record of time spent", {
      issue: text("Key of the issue"),
      minutes: whole("Minutes spent", { minimum: 1 }),
      note: text("What was done"),
    }],
  ],
  code: [
    "Repositories, pull requests and pipelines",
    ["pull_request", "a pull request", {
      title: text("Title"),
      body: text("Description in Markdown"),
      head: text("Branch with the changes"),
      base: text("Branch to merge into", { default: "main" }),
      draft: flag("Open it as a draft"),
    }],
    ["branch", "a branch", {
      name: text("Name without refs/heads/"),
      from: text("Commit or branch to start from"),
      protected: flag("Forbid force pushes and deletion"),
    }],
    ["file", "a file in a repository", {
      path: text("Path from the root of the repository"),
      content: text("The whole content, as text or base64"),
      encoding: one("How the content is written", "utf-8", "base64"),
      message: text("Commit message"),
    }],
    ["review", "a review of a pull request", {
      pull_request: whole("Number of the pull request"),
      verdict: one("The verdict", "approve", "request_changes", "comment"),
      body: text("What the author should know"),
    }],
    ["pipeline", "a run of the build pipeline", {
      ref: text("Branch, tag or commit to build"),
      variables: {
        type: "object",
        additionalProperties: { type: "string" },
        description: "Variables for this run",
      },
    }],
    ["deploy_key", "a deploy key", {
      title: text("What the key is for"),
      key: text("Public key in OpenSSH format"),
      read_only: flag("Allow no pushes"),
    }],
  ],
  chat: [
    "Messages and channels of the company chat",
    ["message", "a message", {
      channel: text("Id or #name of the channel"),
      text: text("The message in Markdown"),
      thread: text("Timestamp of the message to answer in its thread"),
      broadcast: flag("Show an answer in the channel too"),
    }],
    ["channel", "a channel", {
      name: text("Lower case, without #"),
      topic: text("Topic shown at the top"),
      private: flag("Only for people who are invited"),
    }],
    ["reaction", "a reaction to a message", {
      message: text("Timestamp of the message"),
      emoji: text("Name of the emoji without colons"),
    }],
    ["reminder", "a reminder", {
      text: text("What to be reminded of"),
      at: time("When"),
      user: text("Who is reminded; you when absent"),
    }],
    ["user_group", "a group of people", {
      handle: text("Handle for mentions"),
      members: some("Ids of the members"),
      description: text("What the group is for"),
    }],
    ["bookmark", "a bookmark of a channel", {
      channel: text("Id of the channel"),
      title: text("Title"),
      link: text("Address", { format: "uri" }),
    }],
  ],
  mail: [
    "The team's mailboxes",
    ["email", "an email", {
      to: some("Addresses of the recipients"),
      cc: some("Addresses in copy"),
      subject: text("Subject"),
      body: text("Body as plain text or HTML"),
      reply_to: text("Id of the email that this one answers"),
    }],
    ["draft", "a draft", {
      to: some("Addresses of the recipients"),
      subject: text("Subject"),
      body: text("Body so far"),
    }],
    ["label", "a label for emails", {
      name: text("Name, with / for levels"),
      colour: text("Colour as #rrggbb"),
      hidden: flag("Leave it out of the list"),
    }],
    ["filter", "a filter for incoming emails", {
      from: text("Address or domain of the sender"),
      contains: text("Words that must be there"),
      label: text("Label to put on"),
      archive: flag("Keep it out of the inbox"),
    }],
    ["contact", "a contact", {
      name: text("Full name"),
      address: text("Email address", { format: "email" }),
      phone: text("Telephone number with country code"),
      company: text("Where the person works"),
    }],
    ["signature", "a signature", {
      name: text("Name of the signature"),
      html: text("The signature as HTML"),
    }],
  ],
  calendar: [
    "Meetings, rooms and absences",
    ["event", "an event", {
      title: text("Title"),
      starts: time("Beginning"),
      ends: time("End"),
      attendees: some("Addresses of those invited"),
      room: text("Id of a room to book"),
      recurrence: text("Recurrence rule after RFC 5545"),
    }],
    ["room", "a meeting room", {
      name: text("Name"),
      floor: whole("Floor"),
      seats: whole("How many people can sit", { minimum: 1 }),
      screen: flag("Has a screen"),
    }],
    ["absence", "an absence", {
      person: text("Login name"),
      from: text("First day as YYYY-MM-DD"),
      to: text("Last day as YYYY-MM-DD"),
      kind: one("Why", "holiday", "sick", "parental", "other"),
    }],
    ["invitation", "an invitation to an event", {
      event: text("Id of the event"),
      person: text("Address of the person"),
      optional: flag("The person need not come"),
    }],
    ["booking_page", "a page where others book a time", {
      title: text("Title"),
      minutes: whole("Length of a meeting", { enum: [15, 30, 45, 60] }),
      days: some("Days of the week, as mon, tue, …"),
    }],
    ["shift", "a shift of the duty roster", {
      person: text("Login name"),
      starts: time("Beginning"),
      ends: time("End"),
      role: one("Role", "primary", "secondary"),
    }],
  ],
  files: [
    "Documents on the shared drive",
    ["document", "a document", {
      title: text("Title"),
      content: text("Content in Markdown"),
      folder: text("Id of the folder it goes to"),
    }],
    ["folder", "a folder", {
      name: text("Name"),
      parent: text("Id of the folder above"),
    }],
    ["spreadsheet", "a spreadsheet", {
      title: text("Title"),
      sheets: some("Names of the sheets"),
      rows: {
        type: "array",
        items: { type: "array", items: { type: ["string", "number", "boolean", "null"] } },
        description: "Rows for the first sheet",
      },
    }],
    ["permission", "a permission on a file", {
      file: text("Id of the file"),
      person: text("Address of the person or group"),
      role: one("What they may do", "reader", "commenter", "writer"),
      notify: flag("Send them an email"),
    }],
    ["revision", "a revision of a document", {
      document: text("Id of the document"),
      name: text("Name to find it by"),
      keep: flag("Never remove it automatically"),
    }],
    ["shortcut", "a shortcut to a file", {
      target: text("Id of the file"),
      folder: text("Id of the folder it goes to"),
    }],
  ],
  warehouse: [
    "Tables, queries and dashboards of the data team",
    ["query", "a saved query", {
      name: text("Name"),
      sql: text("One SQL statement; parameters as :name"),
      limit: whole("Rows at the most", { minimum: 1, maximum: 10_000, default: 1_000 }),
      timeout: whole("Seconds before it is stopped", { default: 60 }),
    }],
    ["table", "a table", {
      name: text("Name with its schema, like sales.orders"),
      columns: {
        type: "array",
        items: {
          type: "object",
          properties: { name: { type: "string" }, type: { type: "string" } },
          required: ["name", "type"],
        },
        description: "Columns in order",
      },
      comment: text("What a row stands for"),
    }],
    ["dashboard", "a dashboard", {
      title: text("Title"),
      queries: some("Ids of the queries shown, in order"),
      refresh: whole("Minutes between two refreshes"),
    }],
    ["export", "an export to a file", {
      query: text("Id of the query"),
      format: one("Format", "csv", "parquet", "json"),
      destination: text("Address of the bucket and path"),
    }],
    ["alert", "an alert on the result of a query", {
      query: text("Id of the query"),
      condition: text("Condition over the first row, like total > 100"),
      channel: text("Where to say so"),
    }],
    ["job", "a scheduled job", {
      name: text("Name"),
      cron: text("Cron expression in UTC"),
      query: text("Id of the query to run"),
      paused: flag("Do not run it for now"),
    }],
  ],
  cloud: [
    "Machines, clusters and buckets in production and staging",
    ["instance", "a virtual machine", {
      name: text("Name"),
      size: one("Size", "small", "medium", "large", "xlarge"),
      region: text("Region, like eu-central-1"),
      image: text("Id of the image to start from"),
      tags: { type: "object", additionalProperties: { type: "string" }, description: "Tags" },
    }],
    ["bucket", "a bucket", {
      name: text("Name, unique in the whole world"),
      region: text("Region"),
      public: flag("Let everybody read it"),
      lifecycle: whole("Days after which objects are removed"),
    }],
    ["cluster", "a cluster", {
      name: text("Name"),
      version: text("Version of the control plane"),
      nodes: whole("How many nodes", { minimum: 1, maximum: 500 }),
    }],
    ["dns_record", "a DNS record", {
      zone: text("Name of the zone"),
      name: text("Name below the zone"),
      type: one("Type", "A", "AAAA", "CNAME", "MX", "TXT"),
      value: text("Value"),
      ttl: whole("Seconds that resolvers may keep it", { default: 300 }),
    }],
    ["secret", "a secret", {
      name: text("Name, with / for levels"),
      value: text("Value; it is never shown again"),
      rotation: whole("Days between two rotations"),
    }],
    ["firewall_rule", "a firewall rule", {
      direction: one("Direction", "in", "out"),
      ports: text("Ports, like 443 or 8000-8080"),
      source: text("Network in CIDR notation"),
      allow: flag("Let it pass instead of dropping it"),
    }],
  ],
  billing: [
    "Customers, invoices and subscriptions",
    ["invoice", "an invoice", {
      customer: text("Id of the customer"),
      lines: {
        type: "array",
        items: {
          type: "object",
          properties: {
            text: { type: "string" },
            quantity: { type: "number" },
            cents: { type: "integer" },
          },
          required: ["text", "cents"],
        },
        description: "Lines of the invoice",
      },
      currency: text("ISO 4217 code", { default: "EUR" }),
      due: text("Day as YYYY-MM-DD"),
    }],
    ["customer", "a customer", {
      name: text("Name of the company or person"),
      email: text("Address for invoices", { format: "email" }),
      vat: text("VAT number"),
      country: text("ISO 3166 code of two letters"),
    }],
    ["subscription", "a subscription", {
      customer: text("Id of the customer"),
      plan: text("Id of the plan"),
      seats: whole("How many seats", { minimum: 1 }),
      trial_days: whole("Days before the first invoice", { default: 0 }),
    }],
    ["refund", "a refund", {
      payment: text("Id of the payment"),
      cents: whole("How much; all of it when absent"),
      reason: one("Why", "duplicate", "fraud", "requested"),
    }],
    ["coupon", "a coupon", {
      code: text("Code that customers type"),
      percent: whole("Discount in percent", { minimum: 1, maximum: 100 }),
      until: text("Last day as YYYY-MM-DD"),
    }],
    ["price", "a price of a plan", {
      plan: text("Id of the plan"),
      cents: whole("Price for one interval"),
      interval: one("Interval", "month", "year"),
      currency: text("ISO 4217 code"),
    }],
  ],
  support: [
    "Tickets and answers of the help desk",
    ["ticket", "a support ticket", {
      subject: text("Subject"),
      body: text("What the customer wrote"),
      customer: text("Address of the customer", { format: "email" }),
      priority: one("Priority", "low", "normal", "high", "urgent"),
      ...PEOPLE,
    }],
    ["reply", "a reply to a ticket", {
      ticket: whole("Number of the ticket"),
      body: text("The reply in Markdown"),
      public: flag("Send it to the customer"),
      status: one("Status afterwards", "open", "pending", "solved"),
    }],
    ["article", "an article of the help centre", {
      title: text("Title"),
      body: text("Content in HTML"),
      section: text("Id of the section"),
      locale: text("Language, like en-GB", { default: "en-GB" }),
    }],
    ["macro", "a macro for agents", {
      name: text("Name in the menu"),
      actions: some("What it does, one action each"),
    }],
    ["survey", "a satisfaction survey", {
      ticket: whole("Number of the ticket"),
      question: text("The question"),
      scale: whole("Points of the scale", { enum: [3, 5, 10] }),
    }],
    ["sla_policy", "a service level policy", {
      name: text("Name"),
      first_reply: whole("Minutes until the first reply"),
      resolution: whole("Hours until it is solved"),
      applies_to: some("Priorities it applies to"),
    }],
  ],
};

function toolsOf([name, what, fields]: Noun): ToolInfo[] {
  const title = (verb: string) => `${verb} ${name.replaceAll("_", " ")}`;
  const id = { id: text(`Id of ${what}, as list_${name}s returns it`) };
  const names = Object.keys(fields);
  const make = (
    tool: string,
    verb: string,
    description: string,
    properties: Params,
    required: readonly string[],
    hints: Partial<Record<"readOnlyHint" | "destructiveHint" | "idempotentHint", boolean>>,
  ): ToolInfo => ({
    name: tool,
    title: title(verb),
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    annotations: { readOnlyHint: false, destructiveHint: false, ...hints },
  });
  return [
    make(
      `list_${name}s`,
      "List",
      `Lists what there is, ${what} each, the newest first. Returns at most \`limit\` of them and a ` +
        `cursor for the next page; leave the cursor out for the first page.`,
      {
        query: text("Words that have to be in it"),
        sort: one("Order", "created", "updated", names[0]!),
        limit: whole("How many to return", { minimum: 1, maximum: 100, default: 20 }),
        cursor: text("The cursor of the page before"),
      },
      [],
      { readOnlyHint: true },
    ),
    make(
      `get_${name}`,
      "Get",
      `Returns ${what} with all its fields. Fails with not_found when there is none with this id, or ` +
        `when you may not see it.`,
      { ...id, include: some("Related records to return along with it") },
      ["id"],
      { readOnlyHint: true },
    ),
    make(
      `create_${name}`,
      "Create",
      `Creates ${what} and returns it with its id. Fields that are left out get the defaults of the ` +
        `workspace.`,
      fields,
      names.slice(0, 2),
      {},
    ),
    make(
      `update_${name}`,
      "Update",
      `Changes ${what}. Only the fields that are given are changed; null empties a field.`,
      { ...id, ...fields },
      ["id"],
      { idempotentHint: true },
    ),
    make(
      `delete_${name}`,
      "Delete",
      `Removes ${what} for good. This can't be undone. With \`dry_run\` it only says what would go.`,
      { ...id, dry_run: flag("Remove nothing, and say what would be removed") },
      ["id"],
      { destructiveHint: true },
    ),
  ];
}

export const SHOPS: readonly Shop[] = Object.entries(SERVICES).map(
  ([alias, [description, ...nouns]]) => ({ alias, description, tools: nouns.flatMap(toolsOf) }),
);
