/** parseArgs() as @std/cli has it: these cases are the library's own, so they hold for both. @module */
import { assertEquals, assertStrictEquals } from "@std/assert";
import { parseArgs } from "@std/cli/parse-args";

Deno.test("parseArgs() reads booleans, strings, lists, aliases and defaults with their types", () => {
  const args = parseArgs(
    ["-c", "a.yaml", "--config=b.yaml", "--json", "-m", "offline", "tools", "--steps", "7"],
    {
      boolean: ["json", "quiet"],
      string: ["_", "config", "model", "steps", "only"],
      collect: ["config"],
      alias: { config: "c", model: "m", quiet: ["q"] },
      default: { only: "all" },
    },
  );
  const config: string[] = args.config;
  const json: boolean = args.json;
  const model: string | undefined = args.model;
  const only: string = args.only;
  assertEquals([config, json, model, only], [["a.yaml", "b.yaml"], true, "offline", "all"]);
  assertEquals([args.c, args.m, args.q, args.quiet], [
    ["a.yaml", "b.yaml"],
    "offline",
    false,
    false,
  ]);
  assertEquals<unknown>([args._, args.steps], [["tools"], "7"]);
});

Deno.test("parseArgs() sets booleans to false and collected flags to an empty list when absent", () => {
  const args = parseArgs([], {
    string: ["foo", "many"],
    boolean: ["bar", "bits"],
    collect: ["many", "bits"],
    alias: { bar: "b" },
  });
  assertEquals(args, { bar: false, b: false, many: [], bits: [], _: [] });
});

Deno.test("parseArgs() counts the last of a flag given twice", () => {
  assertEquals(parseArgs(["-v", "a", "-v", "b", "-v", "c"]), { v: "c", _: [] });
  assertEquals(parseArgs(["--name", "a", "--name", "b"], { string: "name" }).name, "b");
});

Deno.test("parseArgs() treats --no-x as a flag of that name unless x is negatable", () => {
  assertEquals(parseArgs(["--no-moo"]), { "no-moo": true, _: [] });
  const plain = parseArgs(["--no-stdin", "hello"], { boolean: ["no-stdin", "stdin"] });
  assertEquals(plain, { "no-stdin": true, stdin: false, _: ["hello"] });
  const negated = parseArgs(["--foo", "--no-foo", "123"], {
    boolean: ["foo"],
    negatable: ["foo"],
    string: ["_"],
  });
  assertEquals<unknown>(negated, { foo: false, _: ["123"] });
  const chosen = parseArgs(["--foo", "x", "--no-foo"], { string: ["foo"], negatable: ["foo"] });
  const foo: string | false | undefined = chosen.foo;
  assertStrictEquals(foo, false);
  const shared = parseArgs(["--foo", "123", "-f", "456", "--no-foo"], {
    string: ["foo"],
    collect: ["foo"],
    negatable: ["foo"],
    alias: { foo: "f" },
  });
  assertEquals(shared, { foo: false, f: false, _: [] });
});

Deno.test("parseArgs() keeps a default when a boolean is absent, and yields to --x=false", () => {
  const options = { boolean: ["color"], default: { color: true } } as const;
  assertEquals(parseArgs([], options).color, true);
  assertEquals(parseArgs(["--color=false"], options).color, false);
  assertEquals(parseArgs(["--color", "false", "moo"], options), { color: false, _: ["moo"] });
  assertEquals(parseArgs([], { boolean: "maybe", default: { maybe: null } }).maybe, null);
});

Deno.test("parseArgs() puts what follows -- where it was asked to", () => {
  assertEquals(parseArgs(["-a", "--", "b"]), { a: true, _: ["b"] });
  const args = parseArgs(["--name", "John", "before", "--", "--after", "1"], { "--": true });
  assertEquals(args, { name: "John", _: ["before"], "--": ["--after", "1"] });
});

Deno.test("parseArgs() stops at the first positional argument with stopEarly", () => {
  const options = { stopEarly: true, string: ["aaa", "_"] } as const;
  assertEquals<unknown>(
    parseArgs(["--aaa", "bbb", "ccc", "--ddd", "--no-eee", "--aaa", "-"], options),
    {
      aaa: "bbb",
      _: ["ccc", "--ddd", "--no-eee", "--aaa", "-"],
    },
  );
});

Deno.test("parseArgs() keeps a lone dash positional after a long flag, and takes it after a short one", () => {
  assertEquals(parseArgs(["-"]), { _: ["-"] });
  assertEquals(parseArgs(["-s", "-"], { string: "s" }), { s: "-", _: [] });
  assertEquals(parseArgs(["-b", "-"], { boolean: "b" }), { b: true, _: ["-"] });
  assertEquals(parseArgs(["--str", "-"], { string: "str" }), { str: "", _: ["-"] });
});

Deno.test("parseArgs() never turns a string into a number", () => {
  assertEquals(parseArgs(["-s", "0001234"], { string: "s" }).s, "0001234");
  assertEquals<unknown>(parseArgs(["  ", "7"], { string: "_" })._, ["  ", "7"]);
  assertEquals(parseArgs(["--port", "555", "789"]), { port: 555, _: [789] });
  assertEquals(parseArgs(["--str"], { string: "str" }).str, "");
  assertEquals(parseArgs(["--foo="]), { _: [], foo: "" });
});

Deno.test("parseArgs() reads groups of short flags", () => {
  assertEquals(parseArgs(["-qy", "hello"], { boolean: ["q", "y"] }), {
    q: true,
    y: true,
    _: ["hello"],
  });
  assertEquals(parseArgs(["-h", "localhost", "-fp", "555", "script.js"]), {
    f: true,
    p: 555,
    h: "localhost",
    _: ["script.js"],
  });
  assertEquals(parseArgs(["-I/foo/bar/baz"]), { I: "/foo/bar/baz", _: [] });
});

Deno.test("parseArgs() tells unknown() the argument and the flag, and drops what it refuses", () => {
  const told: unknown[][] = [];
  const args = parseArgs(
    ["--jsn", "-xj", "--no-color", "--lazzy=yes", "word", "--json"],
    {
      boolean: ["json"],
      alias: { json: "j" },
      unknown(arg, key) {
        told.push([arg, key]);
        return key === undefined;
      },
    },
  );
  assertEquals(told, [
    ["--jsn", "jsn"],
    ["-xj", "x"],
    ["--no-color", "no-color"],
    ["--lazzy=yes", "lazzy"],
    ["word", undefined],
  ]);
  assertEquals(args, { json: true, j: true, _: ["word"] });
});

Deno.test("parseArgs() takes names of Object.prototype for flags like others", () => {
  const args = parseArgs(["--toString", "--valueOf", "foo", "--__proto__=x", "--hasOwnProperty=1"]);
  assertEquals([args.toString, args.valueOf, args.hasOwnProperty] as unknown, [true, "foo", 1]);
  assertEquals(({} as Record<string, unknown>).foo, undefined);
});
