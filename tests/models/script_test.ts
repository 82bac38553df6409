import assert from "node:assert/strict";
import { UsageError } from "../../lib/kit/usage.ts";
import { type Delta, ModelError, type Turn } from "../../lib/models/model.ts";
import { parseScript, scriptModel } from "../../lib/models/script.ts";

async function take(model: ReturnType<typeof scriptModel>, signal?: AbortSignal) {
  const turn = model.turn({ system: "", messages: [], tools: [], ...(signal && { signal }) });
  const deltas: Delta[] = [];
  for (let next = await turn.next();; next = await turn.next()) {
    if (next.done) return { turn: next.value as Turn, deltas };
    deltas.push(next.value);
  }
}

function issuesOf(text: string, file: string): string[] {
  try {
    parseScript(text, file);
  } catch (error) {
    assert.ok(error instanceof UsageError);
    return error.issues.map(({ path, message, line }) =>
      `${path}${line ? `:${line}` : ""} ${message}`
    );
  }
  return [];
}

const YAML = `
- text: Looking.
  uses:
    - name: mcp__notes__search
      args: { query: release, due: 2026-12-04 }
    - { name: mcp__tickets__search, id: mine }
- text: Done, in a few more words than fit into one delta.
`;

Deno.test("parseScript() reads YAML, and leaves dates the texts they are", () => {
  assert.deepEqual(parseScript(YAML, "a.yaml"), [
    {
      text: "Looking.",
      uses: [
        { name: "mcp__notes__search", args: { query: "release", due: "2026-12-04" } },
        { name: "mcp__tickets__search", args: {}, id: "mine" },
      ],
      stop: "tools",
      repeat: false,
    },
    {
      text: "Done, in a few more words than fit into one delta.",
      uses: [],
      stop: "end",
      repeat: false,
    },
  ]);
});

Deno.test("parseScript() reads JSONL, one turn a line, blank lines aside", () => {
  const text = '{"uses":[{"name":"a","args":{"__proto__":1}}]}\r\n\n{"text":"b","stop":"length"}\n';
  const [first, second] = parseScript(text, "a.jsonl");
  assert.deepEqual(Object.keys(first!.uses[0]!.args), ["__proto__"]);
  assert.deepEqual(second, { text: "b", uses: [], stop: "length", repeat: false });
  assert.deepEqual(parseScript("", "empty.yaml"), []);
  assert.deepEqual(parseScript("", "empty.jsonl"), []);
});

Deno.test("parseScript() names every wrong key with its file and place", () => {
  assert.deepEqual(issuesOf("- txt: a\n- uses: [{nme: x}]\n- 3\n", "a.yaml"), [
    "[0].txt is not a known key",
    "[1].uses[0].nme is not a known key",
    "[1].uses[0].name must be the name of a tool",
    "[2] must be a mapping with the keys text, uses, stop, repeat",
  ]);
  assert.throws(
    () => parseScript("- txt: a\n", "a.yaml"),
    (error) =>
      error instanceof UsageError && /a\.yaml \[0\]\.txt/.test(error.message) &&
      error.hint === 'Did you mean "text"?',
  );
  const [first, second, third, ...rest] = issuesOf(
    '{"text":1}\n\n{"stop":"now"}\n{oops',
    "a.jsonl",
  );
  assert.equal(first, "[0].text:1 must be a text");
  assert.equal(second, '[1].stop:3 must be one of end, tools, length, refusal, got "now"');
  assert.match(third!, /^\[2\]:4 .*JSON/);
  assert.deepEqual(rest, []);
});

Deno.test("parseScript() refuses what is no list, no YAML, and a turn behind one that repeats", () => {
  assert.deepEqual(issuesOf("text: a\n", "a.yaml"), [" must be a list of turns"]);
  assert.equal(issuesOf("- [", "a.yaml").length, 1);
  assert.deepEqual(issuesOf("- {text: a, repeat: true}\n- {text: b}\n", "a.yaml"), [
    "[1] is never reached: turn 0 repeats for ever",
  ]);
});

Deno.test("scriptModel() plays its turns in order, streams their text and gives uses stable ids", async () => {
  const model = scriptModel("script:a.yaml", parseScript(YAML, "a.yaml"));
  assert.equal(model.name, "script:a.yaml");
  const first = await take(model);
  assert.deepEqual(first.turn.uses.map(({ id }) => id), ["script_1_1", "mine"]);
  const second = await take(model);
  assert.ok(second.deltas.length > 1);
  assert.equal(second.deltas.map(({ text }) => text).join(""), second.turn.text);
});

Deno.test("scriptModel() says how long the script was when it is exhausted", async () => {
  const model = scriptModel("script:a.yaml", parseScript("- text: only", "a.yaml"));
  await take(model);
  await assert.rejects(() => take(model), (error) => {
    assert.ok(error instanceof ModelError);
    assert.match(error.message, /turn 2 of "script:a.yaml": the script has 1 turn$/);
    return true;
  });
  await assert.rejects(() => take(scriptModel("script:b", [])), /has 0 turns/);
});

Deno.test("scriptModel() plays ping-pong with the turns that repeat, each use with an id of its own", async () => {
  const text = `
- text: start
- { uses: [{ name: ping }], repeat: true }
- { uses: [{ name: pong }], repeat: true }
`;
  const model = scriptModel("script:a", parseScript(text, "a.yaml"));
  await take(model);
  const names: string[] = [];
  const ids = new Set<string>();
  for (let i = 0; i < 7; i++) {
    const { turn } = await take(model);
    names.push(turn.uses[0]!.name);
    ids.add(turn.uses[0]!.id);
  }
  assert.deepEqual(names, ["ping", "pong", "ping", "pong", "ping", "pong", "ping"]);
  assert.equal(ids.size, 7);
});

Deno.test("scriptModel() leaves with the signal's reason, and keeps the turn", async () => {
  const model = scriptModel("script:a", parseScript("- text: only", "a.yaml"));
  await assert.rejects(() => take(model, AbortSignal.abort(new Error("gone"))), /gone/);
  assert.equal((await take(model)).turn.text, "only");
});
