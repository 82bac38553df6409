/** The many ways in which models write a forwarded call, and what each of them means. */
import assert from "node:assert/strict";
import type { Params } from "../../lib/protocol/types.ts";
import { readArgs, readRequest, type Request } from "../../lib/tools/forwarded.ts";

const NAME = "mcp__a__t";
const OPEN: Params = { type: "object", properties: { x: { type: "integer" } } };

function request(given: Params): Request {
  const read = readRequest(given);
  assert(!("why" in read), JSON.stringify(read));
  return read;
}

/** The arguments of a call with this beside its name; a text where they can't be read. */
function argsOf(given: Params, schema = OPEN): Params | string {
  const read = readArgs(request({ action: "call", name: NAME, ...given }), schema);
  return "why" in read ? read.why : read.args;
}

Deno.test("readRequest() takes each action with what it needs", () => {
  const search = request({ action: "search", query: "read a file" });
  assert.deepEqual([search.action, search.query], ["search", "read a file"]);
  const describe = request({ action: "describe", name: NAME });
  assert.deepEqual([describe.action, describe.name], ["describe", NAME]);
  assert.equal(request({ action: "call", name: NAME }).action, "call");
});

Deno.test("readRequest() knows the action that was left out only where one alone is meant", () => {
  assert.equal(request({ name: NAME, args: {} }).action, "call");
  assert.equal(request({ query: "notes" }).action, "search");
  assert("why" in readRequest({}));
});

Deno.test("readRequest() says what is missing, and guesses no action", () => {
  const cases: [Params, RegExp][] = [
    [{ action: "run", name: NAME }, /"action" has to be one of search, describe, call/],
    [{ action: "Call", name: NAME }, /"action" has to be one of/],
    [{ action: null, name: NAME }, /"action" has to be one of/],
    [{ action: ["call"], name: NAME }, /"action" has to be one of/],
    [{ action: "search" }, /search needs a "query"/],
    [{ action: "search", query: "  " }, /search needs a "query"/],
    [{ action: "search", query: 7 }, /search needs a "query"/],
    [{ action: "call" }, /call needs a "name"/],
    [{ action: "call", name: "" }, /call needs a "name"/],
    [{ action: "call", name: { toString: "x" } }, /call needs a "name"/],
    [{ action: "describe", query: "x" }, /describe needs a "name"/],
    // One envelope around everything: whose name it is can be guessed, and is not.
    [{ action: "call", args: { name: NAME, args: { x: 1 } } }, /call needs a "name"/],
  ];
  for (const [given, why] of cases) {
    const read = readRequest(given);
    assert("why" in read, JSON.stringify(given));
    assert.match(read.why, why, JSON.stringify(given));
  }
});

Deno.test("readArgs() takes an object, JSON of one, flat ones and a second envelope for the same", () => {
  const same: Params[] = [
    { args: { x: 1 } },
    { args: '{"x":1}' },
    { args: ' {"x": 1}\n' },
    { arguments: { x: 1 } },
    { input: { x: 1 } },
    { parameters: '{"x":1}' },
    { x: 1 },
    { args: { args: { x: 1 } } },
    { args: { arguments: { x: 1 } } },
    { arguments: '{"input":{"x":1}}' },
  ];
  for (const given of same) assert.deepEqual(argsOf(given), { x: 1 }, JSON.stringify(given));
});

Deno.test("readArgs() is empty only where nothing was given", () => {
  assert.deepEqual(argsOf({}), {});
  assert.deepEqual(argsOf({ args: {} }), {});
  assert.deepEqual(argsOf({ args: "{}" }), {});
  const others: unknown[] = [
    null,
    [],
    [{ x: 1 }],
    "",
    "not json",
    "null",
    "[1]",
    '"x"',
    "{",
    1,
    true,
    '"{\\"x\\":1}"', // Written twice: of a text that is a text there is no end.
  ];
  for (const args of others) {
    const read = argsOf({ args });
    assert(typeof read === "string", JSON.stringify(args));
    assert.match(read, /"args" has to be an object/, JSON.stringify(args));
  }
});

Deno.test("readArgs() gives up where arguments stand in two places", () => {
  assert.match(String(argsOf({ args: { x: 1 }, arguments: { x: 2 } })), /in args and in arguments/);
  assert.match(String(argsOf({ args: { x: 1 }, limit: 2 })), /in "args" and beside it \(limit\)/);
  assert.match(String(argsOf({ args: null, x: 1 })), /beside it \(x\)/);
});

Deno.test("readArgs() leaves an envelope that is a parameter of the tool itself", () => {
  const schema = { type: "object", properties: { args: { type: "object" } } };
  assert.deepEqual(argsOf({ args: { args: { x: 1 } } }, schema), { args: { x: 1 } });
  // Two members are no envelope.
  assert.deepEqual(argsOf({ args: { args: { x: 1 }, y: 2 } }), { args: { x: 1 }, y: 2 });
});

Deno.test("readArgs() drops no argument that is called as one of ours", () => {
  const schema = { type: "object", properties: { query: { type: "string" } } };
  const read = argsOf({ query: "lisbon" }, schema);
  // Repaired, or refused; but a tool that can do without a query must not run without it.
  assert(typeof read === "string" || read.query === "lisbon", JSON.stringify(read));
});

Deno.test("readArgs() takes no parameter of the tool for an envelope", () => {
  for (const place of ["input", "arguments", "parameters"]) {
    const schema = { type: "object", properties: { [place]: { type: "object" } } };
    const read = argsOf({ [place]: { x: 1 } }, schema);
    const kept = typeof read === "string" || JSON.stringify(read) === `{"${place}":{"x":1}}`;
    assert(kept, `${place}: ${JSON.stringify(read)}`);
  }
});

Deno.test("readArgs() takes __proto__ and constructor for arguments like any other", () => {
  const args = JSON.parse('{"__proto__":{"x":1},"constructor":2}');
  const read = argsOf({ args });
  assert(typeof read === "object");
  assert.deepEqual(Object.keys(read), ["__proto__", "constructor"]);
  const flat = readArgs(
    request(JSON.parse(`{"action":"call","name":"${NAME}","__proto__":{"x":1}}`)),
    OPEN,
  );
  assert("args" in flat && Object.hasOwn(flat.args, "__proto__"));
});
