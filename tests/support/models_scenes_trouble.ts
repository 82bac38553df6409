/** Scenes in which the API fails: at once, in mid-stream, behind a tool that has run, for good. @module */
import assert from "node:assert/strict";
import type { Format, Trouble } from "./models_formats.ts";
import {
  ANSWER,
  answered,
  call,
  called,
  failedWith,
  refuse,
  say,
  SEARCH,
  told,
  use,
} from "./models_lines.ts";
import type { Cell, Line, Scene, Seen } from "./models_play.ts";

const THOUGHT = "Let me think about Lisbon for a while.";

/** Once something, then the answer. */
function thenAnswer(first: Omit<Line, "nth">): Line[] {
  return [{ ...first, nth: 0 }, { nth: 1, response: say(ANSWER) }];
}

/** A request that is tried again, and was worth it. */
function mended(
  title: string,
  fault: (cell: Cell) => Omit<Line, "nth">,
  says: RegExp,
  check?: Scene["check"],
): Scene {
  return {
    title,
    lines: (cell) => thenAnswer(fault(cell)),
    asked: 2,
    check(seen) {
      answered(seen, ANSWER, 1);
      assert.match(seen.result.stderr, says);
      check?.(seen);
    },
  };
}

/** Before it was asked again. */
function waited({ sent }: Seen, least: number): void {
  const ms = sent[1]!.at - sent[0]!.at;
  assert(ms >= least, `${ms} ms`);
}

/** What has not left when the socket dies is lost, so that it needs some time between the pieces. */
const CUT = { chunkSize: 4, latency: 20, truncateAfterChunks: 8 };
const GONE = { chaos: { disconnectRate: 1 } };
const GARBLED = { chaos: { malformedRate: 1 } };

export const PATIENCE: readonly Scene[] = [
  mended(
    "429 with retry-after",
    ({ format }) => ({ response: refuse(format.refusals.rate, 1.2) }),
    /^\S+ is limiting us \(429\); trying again in 1\.2s$/m,
    (seen) => waited(seen, 1_200),
  ),
  mended(
    "500 once",
    ({ format }) => ({ response: refuse(format.refusals.failed) }),
    /^\S+ failed \(500\); trying again in 0\.[45]s$/m,
    (seen) => waited(seen, 375),
  ),
  mended(
    "529 once",
    ({ format }) => ({ response: refuse(format.refusals.overloaded) }),
    /^\S+ is overloaded \(529\); trying again in 0\.[45]s$/m,
  ),
  mended(
    "a connection that breaks before the answer",
    () => ({ response: say("never"), ...GONE }),
    /^\S+ can't be reached; trying again in 0\.[45]s$/m,
  ),
  mended(
    "malformed JSON",
    () => ({ response: say("never"), ...GARBLED }),
    /^\S+ answered with nonsense; trying again in 0\.[45]s$/m,
  ),
  {
    title: "529 for good",
    lines: ({ format }) => [{ response: refuse(format.refusals.overloaded) }],
    code: 5,
    asked: 5,
    check(seen) {
      failedWith(seen, /^fusebox: The model API is overloaded: .*overloaded.* \(tried 5 times\)$/i);
    },
  },
  {
    title: "a wait that is too long",
    lines: ({ format }) => [{ response: refuse(format.refusals.rate, 3600) }],
    code: 5,
    asked: 1,
    check: (seen) =>
      failedWith(
        seen,
        /^fusebox: The model API asks for fewer requests: .*; \S+ asks to wait 1h, and we wait 1m$/,
        /^ {2}Try again in 1h\.$/,
      ),
  },
  {
    title: "a stream cut in text",
    isCase: ({ stream }) => stream,
    lines: () => [{ response: say("A long answer, of which not all arrives."), ...CUT }],
    code: 5,
    // What was shown would be shown twice.
    asked: 1,
    check: (seen) =>
      failedWith(
        seen,
        /^fusebox: Cannot read the answer of \S+: the connection broke in the middle of it$/,
      ),
  },
  {
    title: "a stream cut in arguments",
    isCase: ({ stream }) => stream,
    lines: ({ format }) => [
      // Gemini's calls come whole: there it is cut in what was thought before.
      {
        nth: 0,
        response: use([SEARCH], format.provider === "gemini" ? { reasoning: THOUGHT } : {}),
        ...CUT,
        chunkSize: 2,
      },
      { nth: 1, response: use([SEARCH]) },
      { turn: 1, response: say(ANSWER) },
    ],
    asked: 3,
    check(seen) {
      answered(seen, ANSWER, 2);
      assert.deepEqual(called(seen), [["notes.search", { query: "Lisbon" }, "ok"]]);
      assert.match(seen.result.stderr, /^\S+ broke off in mid-answer; trying again in 0\.[45]s$/m);
    },
  },
];

/** F60: the request behind a tool that has run fails, and only the request is made again. */
function continued(title: string, fault: (cell: Cell) => Omit<Line, "nth">): Scene {
  const create = (name: string) =>
    use([call("tickets.create_ticket", { title: name, due: "2026-12-04" })]);
  return {
    title: `a continuation that fails: ${title}`,
    lines: (cell) => [
      { response: create("First") },
      { turn: 1, nth: 0, told: "Created T-6", ...fault(cell) },
      { turn: 1, nth: 1, told: "Created T-6", response: create("Second") },
      { turn: 2, told: "Created T-7", response: say("T-6 and T-7.") },
    ],
    asked: 4,
    check(seen) {
      answered(seen, "T-6 and T-7.", 3);
      const { sent } = seen;
      assert.equal(sent[2]!.text, sent[1]!.text, "it is the same request, to the byte");
      assert.deepEqual(called(seen), [
        ["tickets.create_ticket", { title: "First", due: "2026-12-04" }, "ok"],
        ["tickets.create_ticket", { title: "Second", due: "2026-12-04" }, "ok"],
      ]);
      // The tracker counts: had the first run twice, the second would be T-8.
      assert.match(told(seen, 3).at(-1)!.text, /^Created T-7 {2}Second/);
    },
  };
}

export const CONTINUED: readonly Scene[] = [
  continued("529", ({ format }) => ({ response: refuse(format.refusals.overloaded) })),
  continued("500", ({ format }) => ({ response: refuse(format.refusals.failed) })),
  continued("429", ({ format }) => ({ response: refuse(format.refusals.rate, 0.2) })),
  continued("no answer", () => ({ response: say("never"), ...GONE })),
  continued("malformed JSON", () => ({ response: say("never"), ...GARBLED })),
];

/** What waiting does not mend is asked once. */
function refused(
  title: string,
  trouble: Trouble,
  sentence: (format: Format) => RegExp,
  hint?: RegExp,
): Scene {
  return {
    title,
    lines: ({ format }) => [{ response: refuse(format.refusals[trouble], 0.1) }],
    code: 5,
    asked: 1,
    check: (seen) => failedWith(seen, sentence(seen.format), hint),
  };
}

const words = (format: Format, trouble: Trouble) =>
  format.refusals[trouble].error.message.replace(/[.\s]+$/, "").replace(/[^\w\s]/g, "\\$&");

export const REFUSED: readonly Scene[] = [
  {
    title: "a key that aimock does not know",
    lines: () => [{ response: say("never") }],
    key: "sk-wrong-0123456789",
    code: 5,
    asked: 1,
    check: (seen) =>
      failedWith(
        seen,
        /^fusebox: The model API did not accept the key: Invalid API key$/,
        /^ {2}Check [A-Z_]+_API_KEY, and that it belongs to this provider\.$/,
      ),
  },
  refused(
    "a wrong key",
    "key",
    (format) =>
      new RegExp(`^fusebox: The model API did not accept the key: ${words(format, "key")}$`),
    /^ {2}Check [A-Z_]+_API_KEY, and that it belongs to this provider\.$/,
  ),
  refused(
    "an unknown model",
    "model",
    (format) =>
      new RegExp(`^fusebox: The model API does not know this model: ${words(format, "model")}$`),
    /^ {2}`fusebox models` lists what the provider offers\.$/,
  ),
  refused(
    "a context too long",
    "context",
    ({ tooLong }) =>
      new RegExp(`^fusebox: The conversation is too long for the model: ${tooLong}$`),
    /^ {2}Begin a new one, give it less at once, or choose a model with a larger window\.$/,
  ),
  refused(
    "a spent account",
    "quota",
    (format) => new RegExp(`^fusebox: The account has no quota left: ${words(format, "quota")}$`),
    /^ {2}Look at its plan and its billing; waiting does not help\.$/,
  ),
  refused(
    "a request that is refused",
    "refused",
    (format) =>
      new RegExp(`^fusebox: The model API refused the request: ${words(format, "refused")}$`),
  ),
];
