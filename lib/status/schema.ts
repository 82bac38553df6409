/** What `/status` says, as JSON Schema 2020-12; served as `/status.schema.json`. @module */
import { FORMAT } from "./report.ts";

const TEXT = { type: "string" };
const COUNT = { type: "integer", minimum: 0 };
const TIME = { type: "string", format: "date-time" };

type Properties = Readonly<Record<string, unknown>>;

/** All keys in `must` are there, those in `may` where there is something to say, and no others. */
function object(must: Properties, may: Properties = {}, description?: string): Properties {
  return {
    type: "object",
    ...(description !== undefined && { description }),
    required: Object.keys(must),
    properties: { ...must, ...may },
    additionalProperties: false,
  };
}

function list(items: unknown, description?: string): Properties {
  return { type: "array", ...(description !== undefined && { description }), items };
}

function described(description: string, schema: Properties): Properties {
  return { description, ...schema };
}

const STATE = { enum: ["idle", "attaching", "online", "offline"] };
const FUSE_STATE = { enum: ["closed", "open", "half_open", "probation"] };
const REASON = described("A reason code, as in docs/reference.md", TEXT);

const FUSE = object({
  state: FUSE_STATE,
  trips: described("How often it opened without a stable period between", COUNT),
  opened: described("How often it opened in this run", COUNT),
}, {
  since: described("Since when it is not closed", TIME),
  trialAt: described("When the next trial is due", TIME),
});

const TOOLS = object({
  listed: described("All that the server listed", COUNT),
  offered: COUNT,
  denied: described("Kept back by the configuration", COUNT),
  heldBack: described("Malformed, or of another tool's name", COUNT),
  quarantined: described("Changed since they were seen first: they wait for a person", COUNT),
});

const LATENCY = object({
  last: list(
    { type: ["number", "null"] },
    "Milliseconds of the last 40 calls and checks, oldest first; null where nobody answered",
  ),
}, {
  p50: described("Milliseconds, of the last 256 that were answered", { type: "number" }),
  p95: { type: "number" },
});

const SERVER = object({
  alias: described("The user's name for it", TEXT),
  required: { type: "boolean" },
  state: STATE,
  fuse: FUSE,
  tools: TOOLS,
  problems: list(TEXT),
  attaches: described("How often it was attached in this run", COUNT),
  calls: object({
    total: COUNT,
    outcomes: described("By how they ended: ok, tool_error, refused, or a reason code", {
      type: "object",
      additionalProperties: COUNT,
    }),
  }),
  latency: LATENCY,
}, {
  description: TEXT,
  reason: REASON,
  message: described("The same in a line for people", TEXT),
  since: described("When that was found out", TIME),
  stderr: list(TEXT, "The last lines that it wrote for people"),
  stateSince: described("When it came into the state it is in, its fuse's included", TIME),
  dialect: object({ era: { enum: ["modern", "legacy"] }, version: TEXT }),
  server: object({}, { name: TEXT, version: TEXT }, "What it calls itself"),
  pid: described("Of its process", COUNT),
  origin: described("Where it is reached, of one that is no process", TEXT),
  source: described("Whether its tools were listed in this run", { enum: ["live", "recalled"] }),
  listedAt: TIME,
  cacheAgeMs: described("How old the list of its tools is", COUNT),
  attachMs: { type: "number", minimum: 0 },
});

const RUN = object({
  id: TEXT,
  mode: { enum: ["full", "lazy", "forward", "status"] },
  startedAt: TIME,
  uptimeMs: COUNT,
  requests: described("Model requests begun", COUNT),
  tokens: object({ input: COUNT, output: COUNT, cachedInput: COUNT, cacheWrite: COUNT }),
}, {
  model: TEXT,
  prefix: described("A digest of system prompt and tools of the last model request", TEXT),
  ending: described("How it ended; absent while it goes on", TEXT),
});

const CALL = object({
  id: COUNT,
  at: TIME,
  alias: TEXT,
  tool: described("The raw name, made printable", TEXT),
  ms: { type: "number", minimum: 0 },
  outcome: TEXT,
});

const CHANGE = object(
  { id: COUNT, at: TIME, alias: TEXT, state: STATE, fuse: FUSE_STATE },
  { reason: REASON, message: TEXT },
);

export const STATUS_SCHEMA: Properties = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "The state of a fusebox run",
  ...object({
    format: described("Another number means another format", { const: FORMAT }),
    fusebox: described("The version of fusebox", TEXT),
    at: TIME,
    ready: described("Some server is usable, and so is each required one", { type: "boolean" }),
    run: RUN,
    servers: list(SERVER),
    tools: described("Of the table that /tools shows: another number for another table", COUNT),
    calls: list(CALL, "The last hundred calls of tools, oldest first"),
    changes: list(
      CHANGE,
      "The last fifty changes of a server's state, oldest first; attempts are none",
    ),
  }),
};
