/** Bounds on what a model is told of results, and on the files that a run writes. @module */
import assert from "node:assert/strict";
import { MEDIA_BYTES, MEDIA_PER_RESULT } from "../../lib/agent/parts.ts";
import { MEDIA_MAX, MediaSaver } from "../../lib/agent/saver.ts";
import { tell, type Tellable } from "../../lib/agent/tell.ts";
import type { Log } from "../../lib/cli/log.ts";
import { Journal, RECORD_MAX, TRACE_MAX, WAITING_MAX } from "../../lib/cli/trace/journal.ts";
import { DEFAULT_LIMITS } from "../../lib/config/config.ts";
import type { Drop } from "../../lib/kit/drop.ts";
import { formatBytes } from "../../lib/kit/size.ts";
import { Secrets } from "../../lib/kit/secrets.ts";
import { toSpec } from "../../lib/tools/full.ts";
import { KEPT_MAX, KeptResults, PAGE_CHARS } from "../../lib/tools/kept.ts";
import { DESCRIPTION_CHARS } from "../../lib/tools/offered.ts";
import { amount, type Bound, MiB } from "./bounds.ts";
import { FakeClock } from "./clock.ts";
import { PNG } from "./picture.ts";
import { use } from "./scripted.ts";

const x = (count: number) => "x".repeat(count);
/** It is in no note of ours. */
const WORD = "§";

/** Results of so many characters each, in one turn. */
const turn = (...sizes: number[]): Tellable[] =>
  sizes.map((size) => ({
    use: use("t"),
    result: { content: [{ type: "text", text: WORD.repeat(size) }], isError: false },
  }));

/** How much of each is told, but for the notes. */
async function told(...sizes: number[]): Promise<{ lengths: number[]; notes: string }> {
  const all = await tell(turn(...sizes), {});
  const texts = all.map(({ content }) => content.map(({ text }) => text).join("\n"));
  return {
    lengths: texts.map((text) => [...text].filter((char) => char === WORD).length),
    notes: texts.join("\n").replaceAll(WORD, ""),
  };
}

/** What pictures of so many bytes are told as. */
async function shown(...sizes: number[]): Promise<string[]> {
  const content = sizes.map((size) => {
    const picture = new Uint8Array(size);
    picture.set(PNG);
    return { type: "image", data: picture.toBase64(), mimeType: "image/png" };
  });
  const [only] = await tell([{ use: use("t"), result: { content, isError: false } }], {});
  return only!.content.map(({ type }) => type);
}

/** A folder whose files come to nothing, with what is asked for made up. */
const drop: Drop = {
  path: "/spills",
  put: (name) => Promise.resolve(`/spills/${name}`),
  text: () => Promise.resolve(x(PAGE_CHARS + 1)),
};

const { resultChars, resultsChars } = DEFAULT_LIMITS;

export const TOLD: readonly Bound[] = [
  {
    what: "the text of one result, as a model is told it",
    limit: `${amount(resultChars)} characters`,
    beyond: "its beginning and end, and a note; the whole in a file of the run",
    key: "limits.result",
    async proof() {
      assert.deepEqual((await told(resultChars)).lengths, [resultChars]);
      const { lengths: [length], notes } = await told(1_000_000);
      assert(length! <= resultChars && length! > 0.9 * resultChars, `${length} are told`);
      assert.match(notes, /limits\.result changes that/);
    },
  },
  {
    what: "the texts of all results of a turn",
    limit: `${amount(resultsChars)} characters`,
    beyond: "each gets a share; the small ones are told whole",
    key: "limits.results",
    async proof() {
      const { lengths, notes } = await told(10, ...new Array(20).fill(resultChars));
      const sum = lengths.reduce((a, b) => a + b, 0);
      assert(lengths[0] === 10 && sum <= resultsChars && sum > 0.9 * resultsChars, `${sum}`);
      assert.match(notes, /limits\.results changes that/);
    },
  },
  {
    what: "images and audio of a result, as such",
    limit: `${MEDIA_PER_RESULT}, of each ${formatBytes(MEDIA_BYTES)}`,
    beyond: "type and size in words",
    async proof() {
      assert.deepEqual(await shown(MEDIA_BYTES, MEDIA_BYTES + 1), ["image", "text"]);
      const many = await shown(...new Array(MEDIA_PER_RESULT + 1).fill(100));
      assert.equal(many.filter((type) => type === "image").length, MEDIA_PER_RESULT);
    },
  },
  {
    what: "a tool's description, as a model is told it",
    limit: `${amount(DESCRIPTION_CHARS)} characters`,
    beyond: "cut, with a note",
    key: "limits.description",
    proof() {
      assert.equal(DESCRIPTION_CHARS, DEFAULT_LIMITS.descriptionChars);
      const spec = (count: number) =>
        toSpec({
          name: "mcp__big__t",
          ref: { alias: "big", tool: "t" },
          info: { name: "t", description: x(count), inputSchema: { type: "object" } },
        }).description;
      assert.equal(spec(DESCRIPTION_CHARS), `[from big] ${x(DESCRIPTION_CHARS)}`);
      assert.match(spec(20_000), /x\n\[note by fusebox: 16,000 characters are left out/);
    },
  },
  {
    what: "a page of a result that was kept",
    limit: `${amount(PAGE_CHARS)} characters`,
    beyond: "it goes on at an offset",
    async proof() {
      const kept = new KeptResults(() => Promise.resolve(drop));
      await kept.keep("big.one", x(PAGE_CHARS + 1));
      const { content, notes } = await kept.read({ result: "r1" });
      assert.equal(String(content[0]!.text).length, PAGE_CHARS);
      assert.match(notes!.join(), /it goes on at offset 20000/);
    },
  },
];

export const FILES: readonly Bound[] = [
  {
    what: "results that a run keeps, all together",
    limit: `${KEPT_MAX / 1e6} MB`,
    beyond: "not kept, and the note says so",
    async proof() {
      const kept = new KeptResults(() => Promise.resolve(drop));
      assert("id" in await kept.keep("big.one", x(KEPT_MAX - 10)));
      const more = await kept.keep("big.one", x(11));
      assert("why" in more && /a run keeps 100 MB at the most/.test(more.why));
      assert("id" in await kept.keep("big.one", x(10)));
    },
  },
  {
    what: "media that a run saves, all together",
    limit: `${amount(MEDIA_MAX / 1e6)} MB`,
    beyond: "not saved, and the note says so",
    async proof() {
      // A thousand bytes in the place of as many million.
      const saver = new MediaSaver(drop, MEDIA_MAX / 1e6);
      const save = (length: number) =>
        saver.save("big", { mimeType: "image/png", data: "", bytes: new Uint8Array(length) });
      assert("path" in await save(990));
      const more = await save(11);
      assert("why" in more && /a run saves 1 kB at the most/.test(more.why));
      assert("path" in await save(10));
    },
  },
  {
    what: "a line of a trace",
    limit: `${amount(RECORD_MAX)} characters`,
    beyond: "cut, with its length",
    async proof() {
      const { journal, records } = traced();
      journal.write("received", { server: "big", process: 1, line: x(RECORD_MAX) });
      journal.write("received", { server: "big", process: 1, line: x(10 * RECORD_MAX) });
      await journal.close();
      const [most, more] = (await records()).map((text) => JSON.parse(text));
      assert.deepEqual([most.line.length, most.length], [RECORD_MAX, undefined]);
      assert.deepEqual([more.line.length, more.length], [RECORD_MAX, 10 * RECORD_MAX]);
    },
  },
  {
    what: "a trace",
    limit: MiB(TRACE_MAX),
    beyond: "a record says so, and the run goes on",
    async proof() {
      const { journal, records, warnings, seen } = traced();
      for (let n = 0; n < 2 * TRACE_MAX / RECORD_MAX; n++) {
        journal.write("received", { server: "big", process: 1, line: x(RECORD_MAX) });
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      await journal.close();
      assert(seen.bytes > 0.99 * TRACE_MAX && seen.bytes < TRACE_MAX + 1_000, `${seen.bytes}`);
      assert.match((await records()).at(-1)!, /"kind":"truncated"/);
      assert.deepEqual(warnings, ["The trace has its 256 MiB: what follows is not in it"]);
    },
  },
  {
    what: "what waits to be written of a trace",
    limit: MiB(WAITING_MAX),
    beyond: "left out, and counted",
    async proof() {
      const gate = Promise.withResolvers<void>();
      const { journal, records, seen } = traced(gate.promise);
      for (let n = 0; n < 100; n++) {
        journal.write("received", { server: "big", process: 1, line: x(RECORD_MAX) });
      }
      gate.resolve();
      await new Promise((resolve) => setTimeout(resolve, 0));
      journal.write("received", { server: "big", process: 1, line: "last" });
      await journal.close();
      assert(seen.bytes <= WAITING_MAX + 2 * RECORD_MAX, `${seen.bytes} bytes`);
      const last = await records();
      assert.match(last.at(-2)!, /"kind":"dropped","count":6\d/);
      assert.match(last.at(-1)!, /"line":"last"/);
    },
  },
];

/** A trace whose last records are kept, on a disk that may keep it waiting. */
function traced(gate?: Promise<void>) {
  const seen = { bytes: 0, last: [] as Uint8Array[] };
  const warnings: string[] = [];
  const log: Log = {
    async write(bytes) {
      await gate;
      seen.bytes += bytes.length;
      seen.last = [...seen.last.slice(-1), bytes];
    },
    close: () => {},
  };
  const journal = new Journal({
    log,
    secrets: new Secrets([]),
    clock: new FakeClock(),
    elapsed: () => 0,
    warn: (line) => warnings.push(line),
  });
  const records = async () =>
    (await new Blob(seen.last as Uint8Array<ArrayBuffer>[]).text()).split("\n").slice(0, -1);
  return { journal, records, warnings, seen };
}
