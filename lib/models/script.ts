/** The script model: assistant turns read from a file, for tests, demos and documentation. @module */
import { parse } from "@std/yaml";
import { nearest } from "../kit/near.ts";
import { type Issue, UsageError } from "../kit/usage.ts";
import type { Params } from "../protocol/types.ts";
import { type Delta, type Model, ModelError, type ToolUse, type Turn } from "./model.ts";
import { speak } from "./offline/speech.ts";

/** One turn of a script, checked. */
export interface ScriptTurn {
  text: string;
  /** An id is made up where the script gives none. */
  uses: readonly { name: string; args: Params; id?: string }[];
  stop: Turn["stop"];
  /** Whether it is played again, with the other repeating turns, for ever. */
  repeat: boolean;
}

const STOPS: readonly Turn["stop"][] = ["end", "tools", "length", "refusal"];
const TURN_KEYS = ["text", "uses", "stop", "repeat"];
const USE_KEYS = ["name", "args", "id"];

/** A model that takes the turns in order, whatever it is asked. `name` is as the user wrote it. */
export function scriptModel(name: string, turns: readonly ScriptTurn[]): Model {
  const looped = turns.filter(({ repeat }) => repeat).length;
  let taken = 0;
  return {
    name,
    async *turn({ signal }): AsyncGenerator<Delta, Turn> {
      signal?.throwIfAborted();
      const at = taken < turns.length || looped === 0
        ? taken
        : turns.length - looped + (taken - turns.length) % looped;
      const turn = turns[at];
      if (!turn) {
        const many = `${turns.length} turn${turns.length === 1 ? "" : "s"}`;
        throw new ModelError(`Cannot take turn ${taken + 1} of "${name}": the script has ${many}`, {
          hint: "Add a turn, or give the last one `repeat: true`.",
        });
      }
      taken++;
      const uses: ToolUse[] = turn.uses.map(({ name, args, id }, i) => ({
        id: id ?? `script_${taken}_${i + 1}`,
        name,
        args,
      }));
      yield* speak(turn.text, signal);
      return { text: turn.text, uses, stop: turn.stop };
    },
  };
}

/**
 * The turns of a script: YAML with a list of turns, or (`.jsonl`, `.ndjson`) JSON with one turn a line.
 * @throws {UsageError} with everything that is wrong, each with its place.
 */
export function parseScript(text: string, file: string): ScriptTurn[] {
  const issues: Issue[] = [];
  const entries = /\.(?:jsonl|ndjson)$/i.test(file)
    ? lines(text, file, issues)
    : documents(text, file, issues);
  const turns = entries.map(({ value, line }, at) =>
    readTurn(value, (key, message, hint) => {
      const path = `[${at}]${key}`;
      issues.push({ file, path, message, ...(line && { line }), ...(hint && { hint }) });
    })
  );
  const first = turns.findIndex(({ repeat }) => repeat);
  const after = turns.findIndex(({ repeat }, at) => first !== -1 && at > first && !repeat);
  if (after !== -1) {
    issues.push({
      file,
      path: `[${after}]`,
      message: `is never reached: turn ${first} repeats for ever`,
      hint: "Only the last turns may repeat.",
    });
  }
  if (issues.length === 0) return turns;
  issues.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const { path, line, message, hint } = issues[0]!;
  const where = [file, path && ` ${path}`, line && ` (line ${line})`].join("");
  throw new UsageError(`Cannot read the script: ${where}: ${message}`, {
    ...(hint && { hint }),
    issues,
  });
}

interface Entry {
  value: unknown;
  line?: number;
}

function documents(text: string, file: string, issues: Issue[]): Entry[] {
  try {
    // Not the default schema, which would make a Date of `due: 2026-12-04`.
    const value = parse(text, { schema: "core" }) ?? [];
    if (Array.isArray(value)) return value.map((each) => ({ value: each }));
    issues.push({
      file,
      path: "",
      message: "must be a list of turns",
      hint: "Begin each turn with `- `.",
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    issues.push({ file, path: "", message: error.message.split("\n")[0]! });
  }
  return [];
}

function lines(text: string, file: string, issues: Issue[]): Entry[] {
  const out: Entry[] = [];
  for (const [at, each] of text.replace(/^\ufeff/, "").split(/\r?\n/).entries()) {
    if (each.trim() === "") continue;
    try {
      out.push({ value: JSON.parse(each), line: at + 1 });
    } catch (error) {
      issues.push({
        file,
        path: `[${out.length}]`,
        line: at + 1,
        message: (error as SyntaxError).message,
      });
      out.push({ value: {}, line: at + 1 });
    }
  }
  return out;
}

type Complain = (path: string, message: string, hint?: string) => void;

function readTurn(value: unknown, complain: Complain): ScriptTurn {
  const turn = mapping(value, TURN_KEYS, "", complain);
  const { text = "", uses = [], stop, repeat = false } = turn;
  if (typeof text !== "string") complain(".text", "must be a text");
  if (typeof repeat !== "boolean") complain(".repeat", "must be true or false");
  if (!Array.isArray(uses)) complain(".uses", "must be a list of tool uses");
  const own = (Array.isArray(uses) ? uses : []).map((use, at) =>
    readUse(use, `.uses[${at}]`, complain)
  );
  if (stop !== undefined && !STOPS.some((each) => each === stop)) {
    complain(".stop", `must be one of ${STOPS.join(", ")}, got ${JSON.stringify(stop)}`);
  }
  return {
    text: typeof text === "string" ? text : "",
    uses: own,
    stop: STOPS.find((each) => each === stop) ?? (own.length > 0 ? "tools" : "end"),
    repeat: repeat === true,
  };
}

function readUse(value: unknown, path: string, complain: Complain): ScriptTurn["uses"][number] {
  const { name, args = {}, id } = mapping(value, USE_KEYS, path, complain);
  if (typeof name !== "string" || name === "") {
    complain(`${path}.name`, "must be the name of a tool");
  }
  if (id !== undefined && typeof id !== "string") complain(`${path}.id`, "must be a text");
  return {
    name: String(name),
    args: isMapping(args) ? args : (complain(`${path}.args`, "must be a mapping"), {}),
    ...(typeof id === "string" && { id }),
  };
}

function mapping(
  value: unknown,
  known: readonly string[],
  path: string,
  complain: Complain,
): Params {
  if (!isMapping(value)) {
    complain(path, `must be a mapping with the keys ${known.join(", ")}`);
    return {};
  }
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const [near] = nearest(key, known, 1);
    complain(
      `${path}.${key}`,
      "is not a known key",
      near ? `Did you mean "${near}"?` : `Known are ${known.join(", ")}.`,
    );
  }
  return value;
}

function isMapping(value: unknown): value is Params {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
