import assert from "node:assert/strict";
import type { Log } from "../../../lib/cli/log.ts";
import { Journal, type JournalOptions } from "../../../lib/cli/trace/journal.ts";
import { Secrets } from "../../../lib/kit/secrets.ts";
import { FakeClock, settle } from "../../support/clock.ts";

// deno-lint-ignore no-explicit-any -- records are of many kinds
type Json = any;

/** A disk that is as full, or as slow, as it is told to be. */
class Disk implements Log {
  text = "";
  writes = 0;
  fault: Error | undefined;
  /** What keeps a write waiting. */
  gate: Promise<void> | undefined;
  closed = false;

  async write(bytes: Uint8Array): Promise<void> {
    this.writes++;
    await this.gate;
    if (this.fault) throw this.fault;
    this.text += new TextDecoder().decode(bytes);
  }

  close(): void {
    this.closed = true;
  }

  get records(): Json[] {
    return this.text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  }
}

function setup(options: Partial<JournalOptions> = {}) {
  const clock = new FakeClock();
  const log = new Disk();
  const warnings: string[] = [];
  const journal = new Journal({
    log,
    secrets: new Secrets(["secret-1"]),
    clock,
    elapsed: () => clock.now(),
    warn: (line) => warnings.push(line),
    ...options,
  });
  const note = (text: string) => journal.write("note", { text });
  return { clock, log, warnings, journal, note };
}

/** What each record stands for, briefly. */
function said(records: Json[]): (string | number)[] {
  return records.map(({ kind, text, count, bytes, exit }) =>
    text ?? count ?? bytes ?? exit ?? kind
  );
}

/** Of the numbers 0 to that of the last record, how many are missing. */
function gaps(records: Json[]): number {
  return records.at(-1).seq + 1 - records.length;
}

Deno.test("write() numbers records and writes them in order, those of one turn of the event loop in one write", async () => {
  const { clock, log, journal, note } = setup();
  assert.deepEqual([note("a"), note("b")], [0, 1]);
  await settle();
  await clock.tick(1_500.12345);
  note("c");
  await journal.close();
  assert.deepEqual(log.records, [
    { seq: 0, at: 0, kind: "note", text: "a" },
    { seq: 1, at: 0, kind: "note", text: "b" },
    { seq: 2, at: 1_500.123, kind: "note", text: "c" },
  ]);
  assert.deepEqual([log.writes, log.closed], [2, true]);
});

Deno.test("write() hides secrets, also where a line is cut in the midst of one", async () => {
  const { log, journal } = setup({ maxLength: 1_000 });
  const args = { "secret-1": ["secret-1"] };
  journal.write("use", { use: "secret-1", name: "n", args });
  for (let before = 980; before <= 1_010; before++) {
    const line = "x".repeat(before) + "secret-1" + "y".repeat(5_000);
    journal.write("stderr", { server: "a", process: 1, line });
  }
  await journal.close();
  assert(!/secret|sec|"s/.test(log.text.replace(/"(?:seq|server|stderr)"/g, "")), log.text);
  const [use, line] = log.records;
  assert.deepEqual(use.args, { "[hidden]": ["[hidden]"] });
  assert.deepEqual([line.line.length, line.length], [1_000, 980 + 8 + 5_000]);
});

Deno.test("write() keeps of a huge record what is short, and the beginning of the rest", async () => {
  const { log, journal } = setup({ maxLength: 1_000 });
  const content = Array.from({ length: 1_000 }, () => ({ type: "text", text: "long" }));
  journal.write("result", { use: "1", name: "n", isError: false, content, ms: 1 });
  await journal.close();
  const [{ cut, length, ...rest }] = log.records;
  assert.deepEqual(rest, {
    seq: 0,
    at: 0,
    kind: "result",
    use: "1",
    name: "n",
    isError: false,
    ms: 1,
  });
  assert.equal(cut.length, 1_000);
  assert(cut.startsWith('{"use":"1",') && length > 20_000);
});

Deno.test("write() stops at the size of the file, once and with a word, but for the end", async () => {
  const { log, warnings, journal, note } = setup({ maxBytes: 2_000 });
  for (let at = 0; at < 1_000; at++) note(`${at}`.padStart(50));
  journal.write("end", { exit: 0 });
  await journal.close();
  const { records } = log;
  assert.deepEqual(records.slice(-2).map(({ kind }) => kind), ["truncated", "end"]);
  assert.equal(records.filter(({ kind }) => kind === "truncated").length, 1);
  assert(log.text.length < 2_200);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /what follows is not in it/);
});

Deno.test("write() drops what a slow reader leaves no room for, counts it, and goes on when there is room", async () => {
  const { log, warnings, journal, note } = setup({ maxQueued: 1_000 });
  const gate = Promise.withResolvers<void>();
  log.gate = gate.promise;
  for (let at = 0; at < 100; at++) note(`${at}`.padStart(50));
  gate.resolve();
  await settle();
  note("again");
  await journal.close();
  const { records } = log;
  const [dropped, again] = records.slice(-2);
  assert.equal(again.text, "again");
  assert.equal(dropped.kind, "dropped");
  assert.equal(dropped.count, gaps(records));
  assert(dropped.count > 80);
  assert.deepEqual(warnings, []);
});

Deno.test("a disk that is full is told of once; it is tried again after a second, and what is missing is counted", async () => {
  const { clock, log, warnings, journal, note } = setup();
  note("before");
  await settle();
  log.fault = new Error("no space left");
  for (let at = 0; at < 10; at++) {
    note(`lost ${at}`);
    await settle();
  }
  assert.equal(log.writes, 2, "it is left alone meanwhile");
  await clock.tick(1_000);
  note("lost, too");
  await settle();
  assert.equal(log.writes, 3);
  log.fault = undefined;
  await clock.tick(1_000);
  note("after");
  await journal.close();
  const { records } = log;
  assert.deepEqual(said(records), ["before", gaps(records), "after"]);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /^Cannot write the trace: no space left\. The run goes on/);
});

Deno.test("the end is tried also where nothing else is, with the number of what is missing", async () => {
  const { log, journal, note } = setup();
  log.fault = new Error("no space left");
  note("lost");
  await settle();
  log.fault = undefined;
  note("lost, too");
  journal.write("end", { exit: 0 });
  await journal.close();
  assert.deepEqual(said(log.records), [2, 0]);
});

Deno.test("close() waits a second for what never gets written, and no longer", async () => {
  const { clock, log, journal, note } = setup();
  log.gate = new Promise(() => {});
  note("stuck");
  let over = false;
  const closing = journal.close().then(() => over = true);
  await clock.tick(999);
  assert(!over);
  await clock.tick(1);
  await closing;
  assert(log.closed);
});
