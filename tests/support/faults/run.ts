/** One run of fusebox over faulty servers and a healthy one, and what came of it. @module */
import assert from "node:assert/strict";
import { printableLine, UNSAFE } from "../../../lib/kit/printable.ts";
import { demo, flaky, type Sandbox } from "../cli.ts";
import { patient } from "../time.ts";
import { ANSWER, ECHO, HEALTHY, plan, scriptOf } from "./plan.ts";
import type { Code, Entry, Mode, Row } from "./row.ts";

/** What a run said of one faulty server. */
export interface Met {
  /** Why it was offline when the run ended. */
  offline: Code | undefined;
  /** Of each call, in the order of the turns: its code, if it got no answer. */
  codes: readonly (Code | undefined)[];
  /** Of the first call. */
  isError: boolean;
  /** What the model was told of the first call. */
  told: string;
  /** What people were told: why it is offline, or else what came of the first call. */
  said: string;
}

/** Of each server: who comes and goes, and two lines for each call. */
const MOST_LINES = 5;
const LONGEST_LINE = 1_200;
/** Far more than any limit and any goodbye. */
const MOST_MS = 15_000;

/** A configuration of these servers, by alias, and the healthy one. */
export async function house(box: Sandbox, company: ReadonlyMap<string, Row>): Promise<object> {
  const servers: Record<string, Entry> = { [HEALTHY]: demo("notes") };
  for (const [alias, row] of company) servers[alias] = await entryOf(box, row);
  return {
    servers,
    allow: ["*"],
    limits: { start: "20s" },
    fuse: { backoff: "5m" }, // Nobody comes back in the midst of a run that is looked at.
  };
}

/**
 * Whatever the faults: the run ends with an answer, the healthy server has given its own, nothing is
 * left behind, and nothing that was said steers a terminal.
 */
export async function meet(
  box: Sandbox,
  rows: readonly Row[],
  mode: Mode,
): Promise<ReadonlyMap<Row, Met>> {
  const company = new Map(rows.map((row, n) => [`faulty-${n + 1}`, row]));
  const turns = plan(company);
  const turnsOfScript = scriptOf(turns, mode);
  const script = await box.file("script.jsonl", lines(turnsOfScript));
  const flags = ["--mode", mode, "-m", `script:${script}`, "--jsonl", "--no-stdin"];
  const { code, stdout, stderr, ms } = await box.fusebox([...flags, "Go on."], {
    config: await box.file("fusebox.json", await house(box, company)),
  });
  assert.equal(code, 0, stderr);
  await box.empty();
  assert(ms < patient(MOST_MS), `it took ${ms} ms`);
  assertCalm(stderr, MOST_LINES * turnsOfScript.length * (rows.length + 1));
  assert.equal(stdout.replace(UNSAFE, ""), stdout);

  const events = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const outcome = events.at(-1);
  assert.deepEqual([outcome.type, outcome.ending, outcome.answer], ["outcome", "answered", ANSWER]);
  const begin = turnsOfScript.length - 1 - turns.length;
  /** What came of all that was planned for a server. */
  const ends = (alias: string) =>
    turns.flatMap((turn, n) =>
      turn.flatMap((planned, at) => {
        if (planned.alias !== alias) return [];
        const step = begin + n + 1;
        const id = `script_${step}_${at + 1}`;
        const { result } = events.find(({ type, use }) => type === "result" && use.id === id);
        const calls = outcome.calls.filter((call: { step: number }) => call.step === step);
        return [{ result, failure: calls[at].failure as Code | undefined }];
      })
    );
  for (const { result, failure } of ends(HEALTHY)) {
    assert.equal(failure, undefined);
    assert.equal(result.structuredContent.notes[0].id, "n-4");
  }
  const reasons = new Map<string, { reason: Code; message: string }>(
    outcome.offline.map((it: { alias: string }) => [it.alias, it]),
  );
  assert(!reasons.has(HEALTHY), "the healthy one is offline");
  return new Map([...company].map(([alias, row]) => {
    const all = ends(alias);
    const { result } = all[0]!;
    const told = textOf(result);
    const reason = reasons.get(alias);
    const said = (reason?.message ?? told).replaceAll(alias, "faulty").replaceAll(box.home, "~");
    return [row, {
      offline: reason?.reason,
      codes: all.map(({ failure }) => failure),
      isError: result.isError,
      told,
      said: printableLine(said, 1_000),
    }];
  }));
}

/** What has to come of it, in one mode as in the others. */
export function check(row: Row, met: Met): void {
  const { offline, code = offline, again = [], between, thenCode = offline, lost } = row;
  const { saysNo, says = /"n":1/ } = row;
  const rounds = again.flatMap((each) => between ? [each, undefined] : [each]);
  assert.deepEqual(met.codes, [code, ...rounds, thenCode], met.told);
  assert.equal(met.offline, offline ?? lost, met.told);
  assert.equal(met.isError, code !== undefined || saysNo === true, met.told);
  if (code === undefined) assert.match(met.told, says);
}

async function entryOf(box: Sandbox, row: Row): Promise<Entry> {
  // Who was never there may be tried often, the more so on a slow machine: that is another fault.
  const { server, limits, patience, offline, fused = offline === undefined, use = ECHO } = row;
  const entry = typeof server === "string"
    ? flaky(...server.split(" ").filter(Boolean))
    : await server.entry(box);
  return {
    ...entry,
    ...limits && { limits },
    ...!fused && { fuse: { failures: 100, exits: 100 } },
    ...patience && { tools: { limits: { [use.tool]: patience } } },
  };
}

/** Few lines, short ones, and nothing in them that a terminal would obey. */
function assertCalm(stderr: string, mostLines: number): void {
  const lines = stderr.trimEnd().split("\n");
  assert(lines.length <= mostLines, `${lines.length} lines:\n${stderr}`);
  for (const line of lines) {
    assert(line.length <= LONGEST_LINE, `a line of ${line.length} characters`);
    assert.equal(line.replace(UNSAFE, ""), line);
  }
}

function textOf({ content }: { content: readonly { text?: string }[] }): string {
  return content.map(({ text = "" }) => text).join("\n");
}

function lines(values: readonly object[]): string {
  return values.map((value) => JSON.stringify(value) + "\n").join("");
}
