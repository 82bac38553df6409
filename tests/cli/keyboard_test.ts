import assert from "node:assert/strict";
import { type Keyboard, nextLine } from "../../lib/cli/keyboard.ts";
import { FakeClock, settle } from "../support/clock.ts";

/** What a terminal does: it hands over a line once that has ended, or what there is where each key counts. */
class FakeKeyboard implements Keyboard {
  isByKey = false;
  #typed = "";
  #reader: ((text: string | undefined) => void) | undefined;

  read(): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#reader = resolve;
    this.#hand();
    return promise;
  }

  keyByKey(isOn: boolean): void {
    this.isByKey = isOn;
    this.#hand();
  }

  type(keys: string): void {
    this.#typed += keys;
    this.#hand();
  }

  end(): void {
    this.#reader?.(undefined);
  }

  #hand(): void {
    const size = this.#typed.indexOf("\n") + 1 || (this.isByKey ? this.#typed.length : 0);
    const reader = this.#reader;
    if (size === 0 || !reader) return;
    this.#reader = undefined;
    const text = this.#typed.slice(0, size);
    this.#typed = this.#typed.slice(size);
    reader(text.replace(/\n$/, ""));
  }
}

/** The answer to a question before which this was typed, and after which this is. */
async function answer(
  before: string,
  after: (keyboard: FakeKeyboard) => void,
): Promise<string | undefined> {
  const [keyboard, clock] = [new FakeKeyboard(), new FakeClock()];
  keyboard.type(before);
  const asked = nextLine(keyboard, clock);
  while (await Promise.race([asked.then(() => false), settle().then(() => true)])) {
    await clock.tick(20);
  }
  assert.equal(keyboard.isByKey, false);
  after(keyboard);
  return await (await asked).line;
}

Deno.test("nextLine() leaves out what was typed before: lines, half a line, more than anybody types", async () => {
  for (const before of ["", "y\n", "y", "\ny\ny", "y\n".repeat(900) + "y"]) {
    assert.equal(await answer(before, (it) => it.type("n\n")), "n", JSON.stringify(before));
    assert.equal(await answer(before, (it) => it.type("\n")), "", JSON.stringify(before));
    assert.equal(await answer(before, (it) => it.end()), undefined, JSON.stringify(before));
  }
});

Deno.test("nextLine() takes nothing for an answer from whoever types on and on", async () => {
  assert.equal(await answer("y\n".repeat(2_000), () => {}), undefined);
});
