/** `deno task compile [--target TARGET]…`: `dist/fusebox-TARGET`, for this system, those named, or `all`. @module */
import { parseArgs } from "@std/cli/parse-args";
import { PERMISSIONS } from "../lib/cli/self.ts";
import { ROOT } from "./parts.ts";

export const TARGETS: readonly string[] = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
];

/** What `deno compile` is told. Dynamic imports are literal, so Deno finds what they name by itself. */
export function compileArgs(target: string, output: string): string[] {
  return [
    "compile",
    ...PERMISSIONS,
    "--no-prompt",
    "--frozen",
    // What only tests need stands in the lock too.
    "--exclude-unused-npm",
    `--target=${target}`,
    `--output=${output}`,
    "main.ts",
  ];
}

/** Below the root. Windows finds a program by its ending. */
export function outputOf(target: string): string {
  return `dist/fusebox-${target}${target.includes("windows") ? ".exe" : ""}`;
}

/** What Deno's words come to, when the base that it appends the program to can't be had; else undefined. */
export function missingBase(target: string, said: string): string | undefined {
  if (!/base binary|denort/.test(said)) return undefined;
  return `Cannot compile for ${target}: the base runtime of Deno ${Deno.version.deno} can't be downloaded; ` +
    "deno task portable builds one file for this system from npm alone";
}

/** The output is written where {@linkcode outputOf} says. @throws {Error} with what Deno said, or a sentence */
export async function compile(target: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: compileArgs(target, outputOf(target)),
    cwd: ROOT,
    stdout: "null",
    env: { NO_COLOR: "1" },
  }).output();
  if (success) return;
  const said = new TextDecoder().decode(stderr);
  throw new Error(missingBase(target, said) ?? said);
}

/** Of the task's arguments. @throws {Error} for what there is not */
export function targetsOf(args: readonly string[]): readonly string[] {
  const { target: named } = parseArgs(args, {
    string: ["target"],
    collect: ["target"],
    unknown(arg) {
      throw new Error(`Cannot compile with ${arg}: there is --target TARGET, and no more`);
    },
  });
  if (named.length === 0) return [Deno.build.target];
  if (named.includes("all")) return TARGETS;
  const odd = named.find((target) => !TARGETS.includes(target));
  if (odd === undefined) return named;
  throw new Error(`Cannot compile for ${odd}: there are ${TARGETS.join(", ")} and all`);
}

if (import.meta.main) {
  try {
    for (const each of targetsOf(Deno.args)) {
      await compile(each);
      // deno-lint-ignore no-console -- a task is read by people
      console.log(outputOf(each));
    }
  } catch (error) {
    // deno-lint-ignore no-console -- a task is read by people
    console.error((error as Error).message);
    Deno.exitCode = 1;
  }
}
