/** Calls under way: so many of a server, so many in all, and none starves for another's sake. */
import assert from "node:assert/strict";
import { Gate } from "../../lib/registry/gate.ts";
import { settle } from "../support/clock.ts";

/** Who is inside, in the order of coming in; each leaves when it is told to. */
async function crowd(gate: Gate, wishes: readonly (readonly [string, number])[]) {
  const inside: string[] = [];
  for (const [at, [alias, most]] of wishes.entries()) {
    const waiting = gate.enter(alias, most);
    if (waiting) waiting.then(() => inside.push(`${alias}${at}`));
    else inside.push(`${alias}${at}`);
  }
  await settle();
  return {
    inside,
    leave: async (at: number) => {
      gate.leave(wishes[at]![0]);
      await settle();
    },
  };
}

Deno.test("enter() lets so many of one server in, and the next when one leaves, in order", async () => {
  const gate = new Gate(10);
  const { inside, leave } = await crowd(gate, [["a", 2], ["a", 2], ["a", 2], ["a", 2]]);
  assert.deepEqual(inside, ["a0", "a1"]);
  await leave(1);
  await leave(0);
  assert.deepEqual(inside, ["a0", "a1", "a2", "a3"]);
  assert.equal(gate.waiting, 0);
});

Deno.test("enter() lets one of another server in though the slow ones hold every place", async () => {
  const gate = new Gate(3);
  const { inside, leave } = await crowd(gate, [
    ["slow", 16],
    ["slow", 16],
    ["slow", 16],
    ["slow", 16],
    ["quick", 16],
    ["quick", 16],
  ]);
  assert.deepEqual(inside, ["slow0", "slow1", "slow2", "quick4"]);
  await leave(4); // Its place is its own: the one that waits behind takes it, not the slow ones.
  assert.deepEqual(inside, ["slow0", "slow1", "slow2", "quick4", "quick5"]);
});

Deno.test("leave() makes room for one, of its server and of all, and for no more", async () => {
  for (const [overall, most] of [[3, 16], [16, 3]] as const) {
    const gate = new Gate(overall);
    const { inside, leave } = await crowd(gate, new Array(5).fill(["a", most]));
    await leave(0);
    assert.deepEqual(inside, ["a0", "a1", "a2", "a3"]);
    for (const at of [1, 2, 3]) await leave(at);
    assert.deepEqual([inside.length, gate.waiting], [5, 0]);
    // One is left: two more may enter, and the next has to wait.
    assert.equal(gate.enter("a", most), undefined);
    assert.equal(gate.enter("a", most), undefined);
    assert(gate.enter("a", most));
  }
});

Deno.test("enter() gives up a place in the queue when its caller leaves", async () => {
  const gate = new Gate(10);
  assert.equal(gate.enter("a", 1), undefined);
  const caller = new AbortController();
  const waiting = gate.enter("a", 1, caller.signal);
  const next = gate.enter("a", 1);
  caller.abort(new Error("left"));
  await assert.rejects(waiting!, /left/);
  assert.equal(gate.waiting, 1);
  gate.leave("a");
  await next;
  assert.equal(gate.waiting, 0);
  assert.throws(() => gate.enter("b", 1, caller.signal), /left/);
});
