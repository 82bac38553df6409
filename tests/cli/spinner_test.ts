/** What a person sees of a wait, and of a text that comes, on a terminal of any width. @module */
import assert from "node:assert/strict";
import type { Args } from "../../lib/cli/args.ts";
import { Live } from "../../lib/cli/live.ts";
import { Screen } from "../../lib/cli/screen.ts";
import type { World } from "../../lib/cli/world.ts";
import { FakeClock } from "../support/clock.ts";
import { shown } from "../support/pty.ts";

function stage(args: Partial<Args> = {}) {
  const clock = new FakeClock();
  const raw: string[] = [];
  const write = (text: string) => Promise.resolve(void raw.push(text));
  const [err, out] = [{ isTerminal: true, write }, { answer: write }];
  const world = { err, out, env: { NO_COLOR: "1" }, clock } as unknown as World;
  const screen = new Screen({ verbose: false, quiet: false, ...args } as Args, world);
  const lines = () =>
    shown(raw.join("").replaceAll("\n", "\r\n")).replace(/[⠋-⠿]/g, "*").split("\n");
  return { clock, screen, live: new Live(world, screen), raw, lines };
}

Deno.test("spin() goes on below the lines that come while it is waited", async () => {
  const { clock, screen, lines } = stage();
  screen.spin("attaching late");
  await clock.tick(100);
  screen.say("gone: no such command");
  assert.deepEqual(lines(), ["gone: no such command", ""]);
  await clock.tick(100);
  assert.deepEqual(lines(), ["gone: no such command", "* attaching late"]);
  screen.rest();
  await clock.tick(1_000);
  assert.deepEqual(lines(), ["gone: no such command", ""]);
  assert.equal(clock.sleepers, 0);
});

Deno.test("spin() says how long it has been, once that is long, and what is waited for now", async () => {
  const { clock, screen, lines } = stage();
  let who = "one, two";
  screen.spin(() => `attaching ${who}`);
  await clock.tick(2_000);
  assert.deepEqual(lines(), ["* attaching one, two"]);
  who = "two";
  await clock.tick(10_090);
  assert.deepEqual(lines(), ["* attaching two (12 s)"]);
});

Deno.test("spin() writes each frame where no terminal wraps it, and leaves wrapping on", async () => {
  const { clock, screen, raw } = stage();
  screen.spin("x".repeat(500));
  await clock.tick(1_000);
  assert.ok(raw.length > 5);
  // deno-lint-ignore no-control-regex -- what a terminal is steered by
  for (const frame of raw) assert.match(frame, /^\r\x1b\[\?7l[^\n]{1,80}\x1b\[K\x1b\[\?7h$/);
});

Deno.test("aside() shows the question alone, and what is waited for again after it", async () => {
  const { clock, screen, lines } = stage();
  screen.spin("notes.search");
  await clock.tick(100);
  const asked = Promise.withResolvers<void>();
  const aside = screen.aside(() => asked.promise);
  screen.spin("notes.search, notes.read");
  screen.say("late: online");
  await clock.tick(1_000);
  assert.deepEqual(lines(), [""]);
  asked.resolve();
  await aside;
  await clock.tick(100);
  assert.deepEqual(lines(), ["late: online", "* notes.search, notes.read"]);
});

Deno.test("during() turns as long as its work, also when that fails, and never with --quiet", async () => {
  const { clock, screen, lines } = stage();
  const work = Promise.withResolvers<void>();
  const during = screen.during("work", work.promise);
  await clock.tick(100);
  assert.deepEqual(lines(), ["* work"]);
  work.reject(new Error("no"));
  await assert.rejects(during);
  await clock.tick(100);
  assert.deepEqual(lines(), [""]);
  const quiet = stage({ quiet: true });
  quiet.screen.spin("work");
  await quiet.clock.tick(1_000);
  assert.deepEqual(quiet.raw, []);
});

Deno.test("text() is not torn by a line of ours, which waits for the end of its line", async () => {
  const { clock, screen, live, lines } = stage();
  screen.spin("thinking");
  await clock.tick(100);
  await live.text("Hello ");
  screen.say("late: online");
  await live.text("world\nand ");
  assert.deepEqual(lines(), ["Hello world", "and "]);
  screen.warn("other");
  await live.rest();
  assert.deepEqual(lines(), ["Hello world", "and ", "late: online", "fusebox: other", ""]);
  await live.next();
  await live.text("again\n");
  screen.say("at once");
  assert.deepEqual(lines().slice(-3), ["again", "at once", ""]);
});
