/** Faults of what is on the list: tools that are none, that are odd, that are far too many or too large. @module */
import type { Message } from "../serve.ts";
import { says, type Tool } from "../server.ts";
import { adding, type Fault, type Hooks, rewriting, whole } from "./fault.ts";
import { echo } from "./healthy.ts";
import { echoing, info, isList } from "./list.ts";

/** Adds to the list what no server should, and has `echo` answer for it. */
function listing(entries: Message[]): Hooks {
  const names = entries.map((entry) => entry?.name);
  return {
    handle: (next) => async (message, out) => {
      const reply = await echoing(next, (name) => names.includes(name))(message, out);
      if (!isList(message) || !reply?.result) return reply;
      const { result } = reply;
      return { ...reply, result: { ...result, tools: [...result.tools, ...entries] } };
    },
  };
}

const schema = { type: "object", properties: {} };

const BAD: Message[] = [
  info("good_first"),
  { name: "schema_null", description: "Its inputSchema is null.", inputSchema: null },
  { name: "schema_missing", description: "It has no inputSchema." },
  { name: "schema_string", inputSchema: { type: "string" } },
  { name: "properties_array", inputSchema: { type: "object", properties: [] } },
  { name: "required_null", inputSchema: { ...schema, required: null } },
  { name: "", description: "Its name is empty.", inputSchema: schema },
  { description: "It has no name.", inputSchema: schema },
  null,
  { name: "twin", description: "The first of two.", inputSchema: schema },
  { name: "twin", description: "The second of two.", inputSchema: schema },
  info("good_last"),
];

export const ODD_NAMES = [
  "foo.bar",
  "foo/bar",
  "foo_bar",
  "foo bar",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "admin.tools.list",
  "n".repeat(128),
  `${"a".repeat(40)}1${"b".repeat(39)}`,
  `${"a".repeat(40)}2${"b".repeat(39)}`,
  "red\u001b[31malert\u001b[0m\u202Etxt",
  "🚀",
];

/** A tool that says how it is called, for names that differ in what is hard to see. */
function named(name: string): Tool {
  return {
    ...echo(name, "Returns its own name and its arguments."),
    run: (args) => says(name, { tool: name, arguments: args }),
  };
}

/** `{"a": {"a": …}}` or the like, so many levels deep, written out. */
const nested = (levels: number, open: string, close: string) =>
  JSON.parse(open.repeat(levels) + "{}" + close.repeat(levels));

/** Each definition names the next one twice: 2 to the 40th schemas, for whoever writes them out. */
const laughs = () =>
  Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => {
      const next = { $ref: `#/$defs/l${n + 1}` };
      return [`l${n}`, { type: "object", properties: { a: next, b: next } }];
    }),
  );

const bombs = (): Message[] =>
  [
    { name: "bomb_deep", inputSchema: nested(2_000, '{"type":"object","properties":{"a":', "}}") },
    { name: "bomb_deep_output", outputSchema: nested(2_000, '{"not":', "}") },
    {
      name: "bomb_laughs",
      inputSchema: { type: "object", $ref: "#/$defs/l0", $defs: { ...laughs(), l40: {} } },
    },
    { name: "bomb_loop", inputSchema: { type: "object", allOf: [{ $ref: "#" }] } },
    {
      name: "bomb_wide",
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 20_000 }, (_, n) => [`p${n}`, { type: "string" }]),
        ),
      },
    },
    {
      name: "bomb_words",
      inputSchema: { type: "object", properties: { a: { enum: ["x".repeat(1 << 20)] } } },
    },
    {
      name: "bomb_pattern",
      inputSchema: { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } },
    },
  ].map((bomb) => ({ description: "Is more than it seems.", inputSchema: schema, ...bomb }));

export const TOOLS: Record<string, Fault> = {
  "bad-tools": {
    about: "lists good_first, nine entries that are no tools or are malformed, and good_last",
    hooks: () => listing(BAD),
  },
  "odd-names": {
    about: "adds tools whose names are legal but trying; each returns its name",
    hooks: () => adding(...ODD_NAMES.map(named)),
  },
  "schema-bombs": {
    about: "lists seven tools whose schemas are endless: deep, wide, circular, exponential",
    hooks: () => listing(bombs()),
  },
  "many-tools": {
    about: "lists N tools more on its only page",
    arg: "N",
    hooks: (arg) => listing(Array.from({ length: whole(arg) }, (_, n) => info(`many_${n + 1}`))),
  },
  "huge-tool": {
    about: "lists the tool huge_words, whose description has BYTES bytes",
    arg: "BYTES",
    hooks(arg) {
      const description = "x".repeat(whole(arg));
      return listing([{ ...info("huge_words"), description }]);
    },
  },
  "tools-are": {
    about: "has the value JSON in the place of its list of tools",
    arg: "JSON",
    hooks(arg) {
      const tools = JSON.parse(arg);
      return rewriting(isList, (result) => ({ ...result, tools }));
    },
  },
};
