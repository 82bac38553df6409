/** Which test holds which case from the field, and which a sibling of it: data that a test keeps from rotting. */
import assert from "node:assert/strict";
import { missing, type Where } from "./support/named_tests.ts";

const CONTRACT = "contract_test.ts";
const NAMING = "registry/naming_test.ts";
const ISOLATION = "registry/isolation_test.ts";
const REGISTRY = "registry/registry_test.ts";
const LISTING = "client/listing_test.ts";
const HANDSHAKE = "client/handshake_test.ts";
const LIMITS = "client/limits_test.ts";
const STDIO = "transport/stdio_test.ts";
const LINES = "transport/lines_test.ts";
const RESULTS = "agent/results_test.ts";
const TELL = "agent/tell_test.ts";
const TOO_LONG = "e2e/results_test.ts";
const CALL = "e2e/call_test.ts";
const SERVERS = "e2e/servers_test.ts";
const CONFIG = "e2e/config_test.ts";
const SIGNALS = "e2e/signals_test.ts";
const LIFE = "e2e/life_test.ts";
const ODD = "e2e/odd_servers_test.ts";
const CHECK = "config/check_test.ts";
const PINS = "e2e/pins_test.ts";
const CIRCUIT = "registry/circuit_test.ts";
const DISPATCHED = "agent/dispatched_test.ts";
const MODELS = "e2e/models_test.ts";

/** The cases of the field by number; the sibling is another input of the same kind that no list holds. */
// deno-fmt-ignore -- a table: one line each
const FIELD: Readonly<Record<string, { case: Where; sibling: Where }>> = {
  F1: { case: [NAMING, "call() reaches a tool whose name is too long"], sibling: [NAMING, "call() reaches the tools of the longest alias"] },
  F2: { case: [NAMING, "call() tells tools apart whose names are"], sibling: [NAMING, "call() tells tools apart that differ far"] },
  F3: { case: [NAMING, "call() sends b__c to a, and a__b is no alias"], sibling: [NAMING, "call() sends a tool that is dressed up as"] },
  F4: { case: [NAMING, "call() tells foo.bar, foo/bar, foo_bar and"], sibling: [NAMING, "call() tells apart what cleans up to nothing"] },
  F5: { case: [NAMING, "call() offers search of two servers under"], sibling: [NAMING, "call() offers nine servers that have the"] },
  F6: { case: [NAMING, "call() dispatches a tool of 80 characters"], sibling: [NAMING, "call() dispatches tools of a thousand characters"] },
  F8: { case: [NAMING, "publicName() stays the same when a second"], sibling: [NAMING, "publicName() stays the same when servers"] },
  F9: { case: [NAMING, "call() reaches tools called as members of"], sibling: [NAMING, "call() takes then, toJSON, length and the"] },
  F11: { case: [NAMING, "call() reaches admin.tools.list, a/b and"], sibling: [NAMING, "call() reaches the tools beside those whose"] },
  F12: { case: [REGISTRY, "attachAll() lets one dead server cost nothing"], sibling: [ISOLATION, "attachAll() gives each way to be no server"] },
  F13: { case: [SERVERS, "ask starts with who is ready when the start"], sibling: [ISOLATION, "attachAll() gives up a server that sends"] },
  F16: { case: [ODD, "-v shows what a server prints on stdout beside"], sibling: [ISOLATION, "attachAll() reads past structured log lines"] },
  F17: { case: [LIMITS, "callTool() sends a token, and lives on reports"], sibling: [LIMITS, "callTool() takes no report of another call"] },
  F18: { case: [REGISTRY, "call() that times out is of unknown outcome"], sibling: [CALL, "a limit of one tool is named by its own key"] },
  F19: { case: [LIMITS, "callTool() ends at the cap under a storm"], sibling: [CONTRACT, "silence ends a call at its cap where that"] },
  F20: { case: [CIRCUIT, "a server that answers the handshake and exits is"], sibling: [CIRCUIT, "a server that dies on every call opens its"] },
  F22: { case: [CIRCUIT, "a fuse opens after failures in a row and heals"], sibling: [CIRCUIT, "a kept server that fails at the start is tried"] },
  F23: { case: [CIRCUIT, "what a server answers never opens its fuse"], sibling: [CIRCUIT, "a tool that goes silent does not open the fuse"] },
  F25: { case: [CIRCUIT, "a server that goes between two turns keeps"], sibling: [CIRCUIT, "a list that is empty at the start does not"] },
  F26: { case: [LIFE, "a stubborn server behind * is gone after any end"], sibling: [LIFE, "a stubborn server behind any wrapper is gone"] },
  F27: { case: [CONTRACT, "a list is read to its end through empty, null"], sibling: [LISTING, "listTools() reads on from an empty first"] },
  F28: { case: [CONTRACT, "a cursor that repeats ends a list, and what"], sibling: [LISTING, "listTools() stops where the cursor never"] },
  F30: { case: [LISTING, "listTools() over * holds malformed tools"], sibling: [LISTING, "listTools() holds back a tool whose schema is"] },
  F48: { case: [CONFIG, "the mcpServers file of another client loads"], sibling: [CHECK, "loadConfig() says what it expected and what"] },
  F49: { case: [RESULTS, "ask() tells the model structured content"], sibling: [RESULTS, "ask() tells the model of a no that is structured"] },
  F50: { case: [TOO_LONG, "a result of five megabytes is cut, kept whole"], sibling: [TELL, "tell() lets the results of a turn share one"] },
  F52: { case: [PINS, "a description that changes after it was seen is"], sibling: [PINS, "a new name does not let changed words by, and"] },
  F57: { case: [REGISTRY, "call() of an offline server says so, with"], sibling: [ISOLATION, "call() is an error for who is offline, unknown"] },
  F60: { case: [MODELS, "a continuation that fails is asked again, and"], sibling: [DISPATCHED, "once() dispatches the same use once, and gives"] },
  F62: { case: [CONFIG, "the same alias in two files is an error that"], sibling: [ODD, "--server with an alias that is taken is refused"] },
  P1: { case: [HANDSHAKE, "shakeHands() over * hedges a silent probe"], sibling: [ISOLATION, "attach() waits once for a server that is"] },
  P2: { case: [SERVERS, "a tool that is held back is named with its"], sibling: [LISTING, "listTools() holds back a tool whose required"] },
  P3: { case: [SERVERS, "servers --json gives a reason to each server"], sibling: [ODD, "a variable that is not set takes its server"] },
  P4: { case: [NAMING, "specs() never holds a name with blanks, slashes"], sibling: [NAMING, "specs() never holds a forged name, nor the"] },
  P5: { case: [CALL, "a tool that says no ends call with 1"], sibling: [ODD, "a no without a word of text ends call with"] },
  P6: { case: [SIGNALS, "a signal in a call of a stubborn server cancels"], sibling: [LIFE, "a flood on stderr of a server holds up neither"] },
  P7: { case: [CALL, "a server that dies in mid-call ends call"], sibling: [ISOLATION, "call() to a server that closed its input"] },
  P8: { case: [LISTING, "listTools() over * stops at a cursor that"], sibling: [LISTING, "listTools() tells a tool that is listed on"] },
  P9: { case: [CALL, "a call that is given up is cancelled on the"], sibling: [ISOLATION, "call() whose answer is garbled or refused"] },
  P10: { case: [TOO_LONG, "a model without eyes is told type, size and"], sibling: [MODELS, "a picture from a tool reaches the model as a"] },
  P12: { case: [HANDSHAKE, "shakeHands() declares nothing to a * server"], sibling: [HANDSHAKE, "a legacy server that calls for roots, sampling"] },
  P13: { case: [CALL, "a server that is not to be had ends call"], sibling: [ISOLATION, "attachAll() gives each way to be no server"] },
  P14: { case: [SIGNALS, "the answer is out before a deaf server has"], sibling: [LIFE, "an answer does not wait for who is still"] },
};

/** The tests of the protocol that conformance does not cover, as far as stdio goes: where each is held. */
const PROTOCOL: Readonly<Record<string, readonly Where[]>> = {
  T1: [[CONTRACT, "every frame of a whole session keeps the rules of its era"]],
  T2: [
    [HANDSHAKE, "shakeHands() over * takes error * for a legacy server"],
    [CONTRACT, "*: an answer to the probe that is no answer leads to initialize"],
    [HANDSHAKE, "shakeHands() over * hedges a silent probe after three seconds"],
    [CONTRACT, "*: a server that the probe kills is started again and greeted"],
  ],
  T3: [[HANDSHAKE, "shakeHands() over * never sends initialize after error *"]],
  T4: [
    [HANDSHAKE, "shakeHands() over * asks again with a version that the server supports"],
    [HANDSHAKE, "shakeHands() over * gives up on * with a clear reason"],
    [HANDSHAKE, "shakeHands() asks again with the version that a slow server names"],
    [HANDSHAKE, "shakeHands() does not ask for ever when each version it names is refused"],
  ],
  T5: [
    [CONTRACT, "an absent resultType is complete"],
    [CONTRACT, "*: an unknown resultType fails that call alone"],
  ],
  T6: [[HANDSHAKE, "shakeHands() over * does not take a served tools/list for a modern server"]],
  T8: [
    [CONTRACT, "a list is read to its end through empty, null and blank cursors"],
    [CONTRACT, "a cursor that repeats ends a list, and what was read stays"],
    [CONTRACT, "a cursor that is refused at page 3 starts the list again"],
  ],
  T11: [
    [CONTRACT, "silence ends a call at the idle limit, with a name for the limit"],
    [CONTRACT, "progress keeps a call alive, and the cap ends it all the same"],
    [CONTRACT, "silence ends a call at its cap where that comes first"],
    [CONTRACT, "an answer that comes after its call was given up is nobody's"],
  ],
  T13: [
    [CONTRACT, "stdio, *: a stubborn server with a family and a flood on stderr is gone in time"],
    [CONTRACT, "stdio, *: 100 MB of calls to a server that reads none of them end in time"],
    [LIFE, "a server that is nothing but a flood holds up no signal"],
    [LIFE, "a signal while nobody reads our answer leaves nothing behind"],
  ],
  T14: [
    [CONTRACT, "answers come through noise, odd encodings, split characters and odd ids"],
    [CONTRACT, "50 MB in one line fail at most their own call"],
    [CONTRACT, "a reply may have both members, the one that is not meant being null"],
    [CONTRACT, "100,000 small lines come in order"],
    [STDIO, "a line over the cap that is * fails no call"],
    [LINES, "Lines gives the same lines whatever the chunks, a byte order mark"],
  ],
  T16: [
    [CONTRACT, "a server's calls are answered in the legacy dialect, id 0 too"],
    [CONTRACT, "a server's calls before the handshake are answered behind initialize"],
  ],
  T17: [
    [CONTRACT, "structured content may be any JSON value, and its schema's word is kept"],
    [CONTRACT, "schemas and values 10,000 levels deep cost one note"],
  ],
  T18: [[CONTRACT, "tools named alike over two servers of one name each"]],
};

const numbers = (letter: string, ...ranges: (number | [number, number])[]) =>
  ranges.flatMap((range) => {
    const [from, to] = typeof range === "number" ? [range, range] : range;
    return Array.from({ length: to - from + 1 }, (_, n) => `${letter}${from + n}`);
  });

const WANTED = [
  ...numbers("F", [1, 6], 8, 9, [11, 13], [16, 20], 22, 23, [25, 28], 30, [48, 50], 52, 57, 60, 62),
  ...numbers("P", [1, 10], [12, 14]),
];
const WANTED_OF_PROTOCOL = numbers("T", [1, 6], 8, 11, 13, 14, [16, 18]);

Deno.test("every case from the field has a test and a sibling, and both exist", () => {
  assert.deepEqual(Object.keys(FIELD), WANTED);
  const held = Object.entries(FIELD).flatMap(([number, { case: own, sibling }]) => {
    assert.notDeepEqual(own, sibling, number);
    return [own, sibling];
  });
  assert.deepEqual(held.map(missing).filter((it) => it !== undefined), []);
});

Deno.test("every test of the protocol that is ours to write exists", () => {
  assert.deepEqual(Object.keys(PROTOCOL), WANTED_OF_PROTOCOL);
  const held = Object.values(PROTOCOL).flat();
  assert.deepEqual(held.map(missing).filter((it) => it !== undefined), []);
});

Deno.test("this table fails on a test that is not there", () => {
  assert.match(missing([CONTRACT, "a server is met on the moon"]) ?? "", /has no test/);
  assert.match(missing([CONTRACT, "server is met in its own dialect"]) ?? "", /has no test/);
  assert.match(missing(["nowhere_test.ts", "x"]) ?? "", /is not there/);
  assert.equal(missing([CONTRACT, "a server is met in its own dialect"]), undefined);
  assert.equal(missing([LISTING, "listTools() over * reads every page"]), undefined);
});
