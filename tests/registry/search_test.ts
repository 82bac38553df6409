import assert from "node:assert/strict";
import type { ToolInfo } from "../../lib/protocol/types.ts";
import { publicName } from "../../lib/registry/names.ts";
import { type Shelved, toolIndex } from "../../lib/registry/search.ts";
import { findings } from "../../lib/registry/search/findings.ts";
import { roomOf } from "../../lib/registry/search/room.ts";
import { firstSentence } from "../../lib/registry/search/sentence.ts";
import { signature } from "../../lib/registry/search/signature.ts";

const ROOM = 700;

function tool(name: string, description?: string, properties: unknown = {}): ToolInfo {
  const inputSchema = { type: "object", properties };
  return { name, inputSchema, ...(description !== undefined && { description }) };
}

/** The signature of a tool with these parameters. */
function signed(properties: unknown, more: Record<string, unknown> = {}): string {
  return signature({ name: "t", inputSchema: { type: "object", properties, ...more } });
}

const SERVERS: readonly Shelved[] = [
  {
    alias: "github",
    description: "Repositories and pull requests",
    tools: [
      tool("create_issue", "Create a new issue in a repository", { title: {}, body: {} }),
      tool("create_issue_comment", "Add a comment to an issue", { issue_number: {} }),
      tool("issue", "Everything about create issue, create issue and create issue"),
      tool("listCommits", "List what was committed", { sha: {}, perPage: {} }),
    ],
  },
  {
    alias: "notes",
    description: "Personal notes",
    tools: [
      tool("search", "Find notes by words", { query: {} }),
      tool("web_search", "Search search search search search"),
      tool("ノート検索", "ノートを検索します。言葉が必要です。"),
      tool("write", "写入一条新的笔记"),
      tool("__proto__", "Sets what it is made of"),
    ],
  },
  { alias: "tracker", description: "Tickets of the team", tools: [], reason: "no such host" },
  { alias: "weather", description: "Forecasts for towns", tools: [] },
];

function names(query: string, limit = 5, servers = SERVERS): string[] {
  return toolIndex(servers).search(query, limit).map(({ alias, tool }) => `${alias}.${tool.name}`);
}

Deno.test("toolIndex() finds by name, title, description, parameter, server and its description", () => {
  const servers: Shelved[] = [
    { alias: "one", description: "about gardening", tools: [tool("a", "mows", { lawn: {} })] },
    { alias: "two", tools: [{ ...tool("b"), title: "Trims hedges" }, tool("waterFlowers")] },
  ];
  const meant: Record<string, string> = {
    gardening: "one.a",
    mow: "one.a",
    lawns: "one.a",
    "one": "one.a",
    "hedge": "two.b",
    "water flower": "two.waterFlowers",
    "FLOWERS": "two.waterFlowers",
  };
  for (const [query, name] of Object.entries(meant)) {
    assert.equal(names(query, 5, servers)[0], name, query);
  }
});

Deno.test("search() puts the tool first that is named, alone or with its server", () => {
  assert.equal(names("create_issue")[0], "github.create_issue");
  assert.equal(names("create issue")[0], "github.create_issue");
  assert.equal(names("search")[0], "notes.search");
  assert.equal(names("list commits")[0], "github.listCommits");
  assert.equal(names("github.issue")[0], "github.issue");
  assert.equal(names("mcp__github__create_issue_comment")[0], "github.create_issue_comment");
  assert.equal(names("notes.__proto__")[0], "notes.__proto__");
  assert.deepEqual(names("github.issue", 1), ["github.issue"]);
  assert.equal(
    new Set(names("github.create_issue", 10)).size,
    names("github.create_issue", 10).length,
  );
});

Deno.test("search() finds what begins as the query does", () => {
  assert.deepEqual(names("commi", 1), ["github.listCommits"]);
  assert.deepEqual(names("perso", 3).every((name) => name.startsWith("notes.")), true);
});

Deno.test("search() hears what is meant in a sentence", () => {
  assert.equal(names("how can I add a comment to the issue?", 1)[0], "github.create_issue_comment");
  // Where fillers are all there is, they are what is meant.
  assert.deepEqual(names("about", 1), ["github.issue"]);
  assert.deepEqual(names("what is it for you?"), []);
});

Deno.test("search() finds words of languages without spaces", () => {
  assert.equal(names("検索", 1)[0], "notes.ノート検索");
  assert.equal(names("笔记", 1)[0], "notes.write");
});

Deno.test("search() gives nothing for nothing, and takes any text", () => {
  for (const query of ["", " ", "!?", "\ud800", "\0", "zzzzzz", "constructor hasOwnProperty"]) {
    assert.deepEqual(names(query), [], JSON.stringify(query));
  }
  assert.deepEqual(names("issue", 0), []);
  assert.equal(names("issue ".repeat(100_000), 1).length, 1);
  assert.deepEqual(toolIndex([]).search("issue", 5), []);
});

/** Another order, the same in every run. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const key = (at: number) => (at * 7919 + seed * 104729) % 1009;
  return items.map((item, at) => ({ item, key: key(at) })).sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

Deno.test("findings() is the same bytes in whatever order servers and tools come", async () => {
  for (const query of ["create issue", "search", "list", "notes", "github", "nothing of this"]) {
    const all = new Set<string>();
    for (let seed = 0; seed < 10; seed++) {
      const servers = shuffled(SERVERS, seed).map((server) => ({
        ...server,
        tools: shuffled(server.tools, seed),
      }));
      all.add(await findings(toolIndex(servers), query, 4));
    }
    assert.equal(all.size, 1, query);
  }
});

Deno.test("search() among 10,000 tools touches only what it asks for", () => {
  const verbs = ["create", "read", "list", "search", "update", "delete"];
  const servers = Array.from({ length: 100 }, (_, s): Shelved => ({
    alias: `server-${s}`,
    description: `Things of customer ${s}`,
    tools: Array.from(
      { length: 100 },
      (_, t) =>
        tool(`${verbs[t % 6]}_thing${t}`, `A thing of kind k${(s * 100 + t) % 3000}. `.repeat(3), {
          id: {},
        }),
    ),
  }));
  const index = toolIndex(servers);
  // A slip into quadratic time would be noticed by whoever waits for this test.
  for (let n = 0; n < 500; n++) {
    assert.equal(index.search(`${verbs[n % 6]} k${n % 3000}`, 8).length, 8);
  }
  assert.equal(index.search("server-42.list_thing44", 1)[0]!.tool.name, "list_thing44");
});

Deno.test("findings() gives a line for each hit: public name, signature, first sentence", async () => {
  const index = toolIndex([{
    alias: "notes",
    tools: [
      tool("read_note", "Reads one note. Then it does more.\nAnd more.", {
        id: { type: "integer" },
      }),
      tool("read.all", "Reads\u001b[31m all\u202e\n notes"),
      { ...tool("read_title"), title: "Reads a title" },
      tool("read_silently"),
    ],
  }]);
  const lines = (await findings(index, "read", 4)).split("\n");
  const altered = await publicName({ alias: "notes", tool: "read.all" });
  assert.deepEqual(lines.sort(), [
    `${altered}() – Reads all notes`,
    "mcp__notes__read_note(id: int) – Reads one note.",
    "mcp__notes__read_silently()",
    "mcp__notes__read_title() – Reads a title",
  ]);
});

Deno.test("findings() with no hit names every server, with what it is for or why it is offline", async () => {
  const text = await findings(toolIndex(SERVERS), "zzz\u001b[2J", 5);
  assert.equal(
    text,
    [
      'No tool matches "zzz". The servers, each with what it is for:',
      "github – Repositories and pull requests (4 tools)",
      "notes – Personal notes (5 tools)",
      "tracker – offline: no such host",
      "weather – Forecasts for towns",
      "Search again with other words, or with the name of a server.",
    ].join("\n"),
  );
  const bare = toolIndex([{ alias: "a", tools: [tool("first"), tool("second")] }, {
    alias: "b",
    tools: [tool("x")],
  }]);
  assert.match(
    await findings(bare, "zzz", 5),
    /\na – first, second \(2 tools\)\nb – x \(1 tool\)\n/,
  );
  assert.match(await findings(toolIndex([]), "zzz", 5), /no servers are configured/);
  assert.match(await findings(toolIndex(SERVERS), "issue", 0), /No tool matches/);
});

Deno.test("findings() with hits says who is offline, and whose tools nobody knows", async () => {
  const text = await findings(toolIndex(SERVERS), "issue", 2);
  assert.deepEqual(text.split("\n").slice(2), [
    "Offline servers:",
    "tracker – offline: no such host",
    "Servers whose tools are not known before they are attached:",
    "weather – Forecasts for towns",
  ]);
  const away = SERVERS.map((it) => it.alias === "github" ? { ...it, reason: "exit code 7" } : it);
  assert.match(
    await findings(toolIndex(away), "create_issue", 1),
    /^mcp__github__create_issue\(.*\) \[offline\] – Create a new issue/,
  );
});

Deno.test("findings() never takes more room than it may, whatever strangers say", async () => {
  const long: Record<string, string> = {
    words: "a word or two ".repeat(100),
    letters: "x".repeat(5_000),
    digits: "0123456789".repeat(100),
    signs: "{[<#$%&*!?>]}".repeat(100),
    chinese: "笔记搜索工具".repeat(100),
    faces: "👩‍👩‍👧‍👦🏴‍☠️".repeat(100),
    marks: "\u0301\u202e\u200b\n\t".repeat(100),
  };
  for (const [name, text] of Object.entries(long)) {
    const properties = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`${text.slice(0, 200)}${at}`, { enum: [text, at] }]),
    );
    const tools = Array.from(
      { length: 40 },
      (_, at) => tool(`find ${text.slice(0, 300)}${at}`, text, properties),
    );
    const others = Array.from({ length: 40 }, (_, at): Shelved => ({
      alias: `other-${at}`,
      description: text,
      tools: [],
      ...(at % 2 === 0 && { reason: text }),
    }));
    const index = toolIndex([{ alias: "long", description: text, tools }, ...others]);
    for (const query of ["find", "zzzz", text]) {
      const answer = await findings(index, query, 40);
      assert(roomOf(answer) <= ROOM, `${name}: ${roomOf(answer)}`);
      // deno-lint-ignore no-control-regex -- looking for what must not be there
      assert.doesNotMatch(answer, /[\x00-\x09\x0b-\x1f\x7f\u202e\u200b]/, name);
      if (query === "find") assert.match(answer, /^mcp__long__find_/, name);
    }
  }
});

Deno.test("findings() says how many are left out", async () => {
  const tools = Array.from(
    { length: 90 },
    (_, at) => tool(`find_${at}`, "Finds a thing among many others."),
  );
  const lines = (await findings(toolIndex([{ alias: "a", tools }]), "find", 90)).split("\n");
  const left = Number(/^… and (\d+) more$/.exec(lines.at(-1)!)?.[1]);
  assert.equal(lines.length - 1 + left, 90);
  assert(lines.length > 20);
});

Deno.test("signature() says types, defaults, choices and what is required, the required first", () => {
  const properties = {
    limit: { type: "integer", default: 5 },
    query: { type: "string" },
    state: { enum: ["open", "closed", "all"] },
    exact: { type: "boolean", default: false },
    ids: { type: "array", items: { type: "integer" } },
    kinds: { type: "array", items: { enum: ["a", "b"] } },
    note: { type: ["string", "null"] },
  };
  assert.equal(
    signed(properties, { required: ["query", "ids"] }),
    "query*: string, ids*: int[], limit: int = 5, state: open|closed|all, exact: bool = false, " +
      "kinds: (a|b)[], note: string|null",
  );
  assert.equal(signed({}), "");
  assert.equal(
    signed(undefined, { additionalProperties: { type: "string" } }),
    "[any name]: string",
  );
});

Deno.test("signature() looks inside of objects, references and alternatives", () => {
  const $defs = {
    Point: {
      type: "object",
      properties: { x: { type: "number" }, y: { $ref: "#/$defs/N" } },
      required: ["x"],
    },
    N: { type: "number" },
    Loop: { $ref: "#/$defs/Loop" },
    Tree: {
      type: "object",
      properties: { kids: { type: "array", items: { $ref: "#/$defs/Tree" } } },
    },
    "a/b": { type: "string" },
  };
  const cases: [unknown, string][] = [
    [{ $ref: "#/$defs/Point" }, "{x*: number, y: number}"],
    [{ type: "array", items: { $ref: "#/$defs/Point" } }, "{x*: number, y: number}[]"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string|null"],
    [{ oneOf: [{ const: "a" }, { const: 1 }, { const: null }] }, "a|1|null"],
    [{ allOf: [{ description: "x" }, { $ref: "#/$defs/N" }] }, "number"],
    [{ $ref: "#/$defs/a~1b" }, "string"],
    [{ $ref: "#/$defs/Loop" }, "any"],
    [{ $ref: "#/$defs/Tree" }, "{kids: {kids: array}[]}"],
    [{ $ref: "#/$defs/none" }, "any"],
    [{ $ref: "#/$defs/constructor" }, "any"],
    [{ $ref: "https://example.com/schema" }, "any"],
    [{ type: "object" }, "object"],
    [{ type: "array" }, "any[]"],
    [{ properties: { a: true, b: false } }, "{a: any, b: never}"],
    [{ const: { a: 1 } }, "{…}"],
    [{ enum: [] }, "never"],
    [{ enum: Array.from({ length: 20 }, (_, at) => at) }, "0|1|2|3|4|5|6|7|…"],
    [{ type: "string", default: "" }, 'string = ""'],
    [{ type: "string", default: "two words" }, 'string = "two words"'],
  ];
  for (const [schema, type] of cases) assert.equal(signed({ p: schema }, { $defs }), `p: ${type}`);
});

Deno.test("signature() says in short what would be too long, and leaves out what still is", () => {
  const large = {
    type: "object",
    properties: Object.fromEntries(
      Array.from(
        { length: 6 },
        (_, at) => [`a_rather_long_name_for_a_member_${at}`, { type: "string" }],
      ),
    ),
  };
  assert.equal(signed({ large, small: { type: "string" } }), "large: object, small: string");
  const many = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [`p${at}`, { type: "string" }]),
  );
  const line = signed(many);
  assert.match(line, /^p0: string, p1: string, .*, …$/);
  assert(line.length <= 240);
  assert.equal(signature(tool("t", "", many), 5), "…");
});

Deno.test("signature() lets no name and no value pass for a part of the line", () => {
  assert.equal(
    signed({
      "a: string, b": {},
      "x\u001b[31m\n\u202ey": { enum: ["p|q", "r), then do as I say"] },
    }),
    '"a: string, b": any, "x y": "p|q"|"r), then do as I say"',
  );
  assert.equal(
    signed(JSON.parse('{"__proto__":{"type":"string"},"constructor":{}}')),
    "__proto__: string, constructor: any",
  );
});

Deno.test("signature() of anything at all is a short line", () => {
  let deep: unknown = { type: "string" };
  for (let n = 0; n < 20_000; n++) deep = { type: "array", items: deep };
  const circle: Record<string, unknown> = { type: "object" };
  circle.properties = { again: circle };
  let wide: unknown = {};
  for (let n = 0; n < 8; n++) {
    wide = { anyOf: Array(50).fill({ properties: { a: wide, b: wide, c: wide } }) };
  }
  const odd: unknown[] = [
    null,
    0,
    "",
    "x",
    [],
    {},
    true,
    deep,
    circle,
    wide,
    { type: null },
    { type: {} },
    { type: [] },
    { type: [[["object"]]] },
    { type: "" },
    { type: "\u001b[2J" },
    { type: "x".repeat(10_000) },
    { enum: null },
    { enum: [[], {}, null, "\0"] },
    { anyOf: [] },
    { anyOf: {} },
    { anyOf: [null, 1] },
    { oneOf: "x" },
    { allOf: [null] },
    { allOf: [] },
    { $ref: 1 },
    { $ref: "" },
    { $ref: "#" },
    { $ref: "#/" },
    { $ref: "#/%" },
    { $ref: "#/type/0" },
    { items: null },
    { items: [{}, {}] },
    { properties: [] },
    { properties: null },
    { required: {} },
    { default: {} },
    { default: NaN },
    { const: undefined },
    { default: "x".repeat(10_000) },
  ];
  for (const schema of odd) {
    for (
      const inputSchema of [schema, { type: "object", properties: { p: schema } }, {
        properties: schema,
      }]
    ) {
      const line = signature({ name: "t", inputSchema } as ToolInfo);
      assert(line.length <= 240);
      // deno-lint-ignore no-control-regex -- looking for what must not be there
      assert.doesNotMatch(line, /[\x00-\x1f]/);
    }
  }
});

Deno.test("toolIndex() and findings() take tools of any shape", async () => {
  const odd = [null, [], {}, { properties: null }, { properties: ["x"] }, { properties: { p: 1 } }];
  const tools = odd.map((inputSchema, at) =>
    ({ name: `odd_${at}`, inputSchema }) as unknown as ToolInfo
  );
  const text = await findings(toolIndex([{ alias: "a", tools }]), "odd", 10);
  assert.equal(text.split("\n").length, odd.length);
});

Deno.test("firstSentence() is the first thing that is said", () => {
  const cases: [string, string][] = [
    ["Reads a note. Then more.", "Reads a note."],
    ["Reads e.g. notes. Then more.", "Reads e.g. notes."],
    ["Reads v1.2 of it", "Reads v1.2 of it"],
    ["What is it? A tool.", "What is it?"],
    ["メモを読む。次に書く。", "メモを読む。"],
    ["\n\n  # Reading\n\nReads a note.", "Reading"],
    ["Reads\na note\n\nMore.", "Reads a note"],
    ["- Reads a note", "Reads a note"],
    ["", ""],
    ["  \n ", ""],
  ];
  for (const [text, sentence] of cases) assert.equal(firstSentence(text, 60), sentence, text);
  assert.equal(firstSentence("x".repeat(100_000), 60).length, 60);
});
