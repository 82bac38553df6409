/** What is behind the client: tools and results that strangers made up, through all that reads them. @module */
import assert from "node:assert/strict";
import { tell } from "../lib/agent/tell.ts";
import { canonical, isDeeper, printableJson, toJson } from "../lib/kit/json.ts";
import { legible } from "../lib/kit/legible.ts";
import { printable, printableLine, UNSAFE } from "../lib/kit/printable.ts";
import { fitSchema } from "../lib/models/schema.ts";
import { RULES } from "../lib/models/schema/rules.ts";
import { TransportError } from "../lib/protocol/errors.ts";
import { readInitialize } from "../lib/protocol/legacy.ts";
import { judgeProbe } from "../lib/protocol/modern.ts";
import { checkValue, schemaProblem } from "../lib/protocol/schema.ts";
import { readTool, readToolResult } from "../lib/protocol/tools.ts";
import type { ToolInfo } from "../lib/protocol/types.ts";
import { Catalog } from "../lib/registry/catalog.ts";
import { findings } from "../lib/registry/search/findings.ts";
import { signature } from "../lib/registry/search/signature.ts";
import { toolIndex } from "../lib/registry/search.ts";
import { DESCRIPTION_CHARS } from "../lib/tools/offered.ts";
import { toSpec } from "../lib/tools/full.ts";
import { buildTable } from "../lib/registry/table.ts";
import { obeys } from "./models/schema/obeys.ts";
import { numbers } from "./models/schema/random.ts";
import { OURS } from "./support/clients.ts";
import { FakeClock } from "./support/clock.ts";
import { answers, RESULTS, TOOLS } from "./support/frames.ts";
import { type Json, Mutator } from "./support/mutate.ts";
import { use } from "./support/scripted.ts";

const ROUNDS = Number(Deno.env.get("FUZZ_ROUNDS") ?? 2_000);
const SEED = Deno.env.get("FUZZ_SEED");
/** What explodes takes for ever; all else takes milliseconds. */
const SLOW_MS = 3_000;

/** Runs each round with numbers of its own; one that fails says which it was. */
async function rounds(work: (mutator: Mutator) => Promise<void> | void): Promise<void> {
  const first = Number(SEED ?? 1);
  for (let seed = first; seed < first + (SEED ? 1 : ROUNDS); seed++) {
    const began = performance.now();
    try {
      await work(new Mutator(numbers(seed)));
    } catch (error) {
      const told = error instanceof Error ? error.stack : String(error);
      throw new Error(`FUZZ_SEED=${seed}: ${told}`);
    }
    const took = performance.now() - began;
    assert(took < SLOW_MS, `FUZZ_SEED=${seed} took ${took} ms`);
  }
  assert.equal(({} as Json).polluted, undefined);
}

/** One of these, spoilt until it is another, as it would be read from a line; undefined when it can't be. */
function spoilt(mutator: Mutator, from: readonly Json[]): Json {
  let value = structuredClone(mutator.pick(from));
  for (let n = 1 + mutator.below(5); n > 0; n--) value = mutator.value(value);
  return mutator.parsed(value);
}

function lookAtText(value: Json): void {
  const line = printableLine(toJson(value), 300);
  assert(line.length <= 300 && !line.match(UNSAFE) && !line.includes("\n"));
  const json = printableJson(value);
  assert(!json.match(UNSAFE));
  if (!isDeeper(value, 100)) assert.equal(canonical(JSON.parse(json)), canonical(value));
  for (const text of [json, toJson(value, 2), typeof value === "string" ? value : ""]) {
    assert(!printable(text).match(UNSAFE));
  }
}

Deno.test("a tool that a stranger made up is held back, or goes through all that reads tools", async () => {
  const kept: ToolInfo[] = [];
  let heldBack = 0;
  await rounds(async (mutator) => {
    const raw = spoilt(mutator, TOOLS);
    lookAtText(raw);
    const tool = readTool(raw, 7);
    if ("why" in tool) {
      heldBack++;
      assert(tool.tool !== "" && tool.why.length < 300, tool.why);
      return;
    }
    if (kept.length < 300) kept.push(tool);
    const { entries } = await buildTable([{
      alias: "wild",
      tools: [tool],
      denies: () => undefined,
    }]);
    const [entry] = entries.values();
    assert.match(entry!.name, /^[A-Za-z0-9_-]{1,64}$/);
    const { description, inputSchema } = toSpec(entry!);
    assert(description.length < DESCRIPTION_CHARS + 300 && !description.match(UNSAFE));
    for (const rules of Object.values(RULES)) {
      const fit = fitSchema(inputSchema, rules);
      if ("heldBack" in fit) assert(fit.heldBack.length < 500, fit.heldBack);
      else {
        assert.deepEqual(obeys(fit.schema, rules), []);
        assert.equal(legible(JSON.stringify(fit.schema)).hidden, 0);
        fit.restore(spoilt(mutator, [{ query: "x", limit: 1 }]) ?? {});
      }
    }
    assert(signature(tool).length <= 240);
    assert((schemaProblem(tool.outputSchema)?.length ?? 0) < 500);
    for (const schema of [tool.inputSchema, tool.outputSchema, raw]) {
      const value = mutator.odds(3)
        ? raw
        : spoilt(mutator, [{ query: "x", tags: ["y"] }, { hits: ["a", 1] }]);
      const verdict = checkValue(schema, value);
      if (verdict.kind === "unchecked") assert(verdict.why.length < 500, verdict.why);
      if (verdict.kind === "invalid") {
        assert(verdict.problems.length <= 5);
        for (const problem of verdict.problems) assert(problem.length < 500, problem);
      }
    }
  });
  assert(kept.length > 100 && heldBack > 100, `${kept.length} kept, ${heldBack} held back`);
  const index = toolIndex([{ alias: "wild", tools: kept }]);
  for (const query of ["search", "\u202e", "x".repeat(10_000), "__proto__", "漢字", ""]) {
    const found = await findings(index, query, 20);
    assert(found.length < 8_000 && !found.replaceAll("\n", " ").match(UNSAFE), found);
  }
});

Deno.test("a result that a stranger made up is told to the model, in parts, within the cap", async () => {
  const telling = { limitOf: () => ({ chars: 2_000, key: "limits.result" }) };
  await rounds(async (mutator) => {
    const raw = spoilt(mutator, RESULTS);
    if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return;
    const result = readToolResult(raw);
    lookAtText(result.content);
    const [{ content: told } = { content: [] }] = await tell([{ use: use("t"), result }], telling);
    assert(told.length > 0);
    for (const part of told) {
      if (part.type === "text") assert.equal(typeof part.text, "string");
    }
    const text = told.filter(({ type }) => type === "text").map(({ text }) => text).join("");
    assert(text.length < 2_000 + 200 * told.length, `${text.length} characters are told`);
  });
});

Deno.test("what a stranger says of itself is a dialect, or a typed failure", async () => {
  const ends = new Set<string>();
  await rounds((mutator) => {
    const ask = (method: string, kind: "modern" | "legacy") =>
      spoilt(mutator, answers(kind, { id: 1, method }, (from) => mutator.pick(from)));
    const greeted = ask("initialize", "legacy")?.result;
    if (typeof greeted === "object" && greeted !== null) {
      try {
        ends.add(readInitialize(greeted).dialect.version);
      } catch (error) {
        assert(error instanceof TransportError);
        assert(error.message.length < 1_000, `${error.message.length} characters`);
        ends.add(error.fault);
      }
    }
    const probed = ask("server/discover", "modern");
    if (typeof probed?.result !== "object" || probed.result === null) return;
    ends.add(judgeProbe(probed, "2026-07-28", OURS).era);
  });
  assert.deepEqual([...ends].sort(), [
    "2025-11-25",
    "legacy",
    "modern",
    "none",
    "version_mismatch",
  ]);
});

Deno.test("the catalogue keeps what strangers made up as it was, or not at all", async () => {
  const files = new Map<string, string>();
  const store = {
    read: (name: string) => Promise.resolve(files.get(name)),
    write: (name: string, text: string) => Promise.resolve(void files.set(name, text)),
    remove: (name: string) => Promise.resolve(void files.delete(name)),
    list: () => Promise.resolve([...files.keys()]),
  };
  const catalog = new Catalog(store, { secret: "s", clock: new FakeClock(), note: () => {} });
  await rounds(async (mutator) => {
    const read = TOOLS.map(() => readTool(spoilt(mutator, TOOLS), 1));
    const tools = read.filter((it): it is ToolInfo => !("why" in it));
    const facts = {
      dialect: { era: "legacy", version: "2025-11-25" } as const,
      server: {},
      capabilities: {},
      tools,
      heldBack: [],
      pages: [],
    };
    await catalog.remember("key", facts);
    const known = await catalog.recall("key");
    assert(known);
    const kept = tools.filter((tool) => !isDeeper(tool, 500));
    assert.equal(toJson(known.tools), toJson(kept));
  });
});
