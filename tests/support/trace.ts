/** Reads a trace as a stranger would who has docs/trace.md, and plays one again. @module */
import assert from "node:assert/strict";
import { type Kind, KINDS } from "../../lib/cli/trace/records.ts";
import { fromFileUrl } from "./paths.ts";

// deno-lint-ignore no-explicit-any -- records are of many kinds
export type Json = any;

const IS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  any: () => true,
};

/** All records of a text that ends where a line does. @throws where it is not as docs/trace.md says */
export function readTrace(text: string): Json[] {
  assert(text.endsWith("\n"), "the last line is not whole");
  const records = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(records[0].kind, "header");
  let [seq, at] = [-1, 0];
  for (const record of records) {
    check(record);
    assert(record.seq > seq && record.at >= at, JSON.stringify(record));
    ({ seq, at } = record);
  }
  return records;
}

function check({ seq: _, at: __, kind, cut, ...said }: Json): void {
  assert(Object.hasOwn(KINDS, kind), `no kind is called ${kind}`);
  const fields: Readonly<Record<string, string>> = KINDS[kind as Kind];
  for (const [name, type] of Object.entries(fields)) {
    const [, bare, optional] = /^(\w+)(\?)?$/.exec(type)!;
    if (said[name] === undefined) assert(optional || cut, `${kind} has no ${name}`);
    else assert(IS[bare!]!(said[name]), `${kind}.${name} is no ${bare}`);
  }
  for (const name of Object.keys(said)) {
    assert(name in fields || cut !== undefined, `${kind}.${name} is not documented`);
  }
}

/** The records of one kind. */
export function of(kind: Kind, records: readonly Json[]): Json[] {
  return records.filter((record) => record.kind === kind);
}

/** A server that plays the part which this one has in a trace. */
export function replayed(trace: string, alias: string): { command: string; args: string[] } {
  const program = fromFileUrl(new URL("./replay.ts", import.meta.url));
  const args = ["run", "--allow-read", "--no-config", "--quiet", program, trace, alias];
  return { command: Deno.execPath(), args };
}
