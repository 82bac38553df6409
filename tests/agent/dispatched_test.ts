/** No use of a turn is dispatched twice. */
import assert from "node:assert/strict";
import { Dispatched } from "../../lib/agent/dispatched.ts";
import type { ToolResult } from "../../lib/protocol/tools.ts";

const use = (id: string, n = 0) => ({ id, name: "t", args: { n } });

function dispatcher() {
  const keys: string[] = [];
  const dispatch = (key: string): Promise<ToolResult> => {
    keys.push(key);
    return Promise.resolve({
      content: [{ type: "text", text: `#${keys.length}` }],
      isError: false,
    });
  };
  return { keys, dispatch };
}

Deno.test("once() dispatches the same use once, and gives both who ask the same result", async () => {
  const dispatched = new Dispatched("r/1");
  const { keys, dispatch } = dispatcher();
  const [first, second] = await Promise.all([
    dispatched.once(use("a"), dispatch),
    dispatched.once(use("a"), dispatch),
  ]);
  assert.deepEqual(keys, ["r/1/a"]);
  assert.equal(first, second);
  assert.equal(await dispatched.once(use("a"), dispatch), first);
});

Deno.test("once() tells uses apart that a model API gave the same id, in one turn or in two", async () => {
  const dispatched = new Dispatched("r/1");
  const { keys, dispatch } = dispatcher();
  await dispatched.once(use("a", 1), dispatch);
  await dispatched.once(use("a", 2), dispatch);
  await new Dispatched("r/2").once(use("a", 1), dispatch);
  await dispatched.once(use("a", 2), dispatch);
  assert.deepEqual(keys, ["r/1/a", "r/1/a~1", "r/2/a"]);
});

Deno.test("once() keeps to its promise also for a use that failed", async () => {
  const dispatched = new Dispatched("r/1");
  let sent = 0;
  const fail = () => Promise.reject(new Error(`no ${++sent}`));
  await assert.rejects(dispatched.once(use("a"), fail), /no 1/);
  await assert.rejects(dispatched.once(use("a"), fail), /no 1/);
});
