import assert from "node:assert/strict";
import { merge, SERIES_MAX } from "../../lib/agent/merge.ts";

Deno.test("merge() yields what jobs emit in the order in which it happens", async () => {
  const told = Promise.withResolvers<void>();
  const first = async (emit: (event: string) => void) => {
    emit("a1");
    await told.promise;
    emit("a2");
  };
  const second = async (emit: (event: string) => void) => {
    emit("b1");
    await Promise.resolve();
    emit("b2");
    told.resolve();
  };
  assert.deepEqual(await Array.fromAsync(merge([first, second])), ["a1", "b1", "b2", "a2"]);
});

Deno.test("merge() keeps of a flood that nobody takes its beginning and its newest, and all else", async () => {
  const flood = (name: string) => (emit: (event: string, series?: unknown) => void) => {
    for (let n = 1; n <= 100_000; n++) {
      emit(`${name} ${n}`, name);
      if (n % 50_000 === 0) emit(`${name} said ${n}`);
    }
    return Promise.resolve();
  };
  const events = await Array.fromAsync(merge([flood("a"), flood("b")]));
  assert.equal(events.length, 2 * (SERIES_MAX + 2));
  for (const name of ["a", "b"]) {
    const own = events.filter((event) => event.startsWith(name));
    assert.deepEqual(own.slice(0, 2), [`${name} 1`, `${name} 2`]);
    assert(own.includes(`${name} 100000`) && !own.includes(`${name} 99999`));
    assert(own.includes(`${name} said 50000`) && own.includes(`${name} said 100000`));
  }
});
