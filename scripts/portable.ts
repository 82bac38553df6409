/** `deno task portable [FILE]`: one executable for this system, of this Deno and the bundled program. @module */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { BUNDLE_FLAGS } from "../lib/cli/self.ts";
import { type Bundle, bundle } from "./bundle.ts";
import { partsOf, ROOT } from "./parts.ts";
import { type Entry, tar } from "./portable/tar.ts";
import config from "../deno.json" with { type: "json" };

/** The level costs seconds once, and a few hundred kilobytes for ever. */
const BEST = 9;
/** The last entry of the archive: where it is, nothing was cut off. */
const MARK = "whole";

/** Writes the file. @returns its size in bytes @throws {Error} in a sentence */
export async function buildPortable(path: string): Promise<number> {
  if (Deno.build.os === "windows") {
    throw new Error(
      "Cannot build a portable file: its head is a shell script, and Windows has none",
    );
  }
  const entries = await entriesOf(await bundle());
  const parts = tar(entries);
  const payload = await promisify(gzip)(Buffer.concat(parts), { level: BEST });
  const head = await headOf({
    VERSION: config.version,
    SYSTEM: await systemName(),
    CACHES: Deno.build.os === "darwin" ? "Library/Caches" : ".cache",
    KEY: createHash("sha256").update(payload).digest("hex").slice(0, 16),
    FILES: String(entries.length),
    BYTES: String(payload.length),
    MEGABYTES: String(Math.ceil(parts.reduce((sum, { length }) => sum + length, 0) / 1e6)),
    FLAGS: BUNDLE_FLAGS.join(" "),
  });
  const draft = `${path}.tmp`;
  await Deno.writeFile(draft, new TextEncoder().encode(head), { mode: 0o755 });
  await Deno.writeFile(draft, payload, { append: true });
  await Deno.rename(draft, path);
  return head.length + payload.length;
}

async function entriesOf(bundle: Bundle): Promise<Entry[]> {
  return [
    { name: "deno", bytes: await Deno.readFile(Deno.execPath()), executable: true },
    ...Array.from(bundle, ([name, bytes]) => ({ name, bytes })),
    { name: "LICENSES", bytes: new TextEncoder().encode(await licences()) },
    { name: MARK, bytes: new Uint8Array() },
  ];
}

/** Of all that is packed: they want to go with it. */
async function licences(): Promise<string> {
  const own = await Deno.readTextFile(`${ROOT}LICENSE`);
  const { packages } = await partsOf();
  const theirs = await Promise.all(packages.map(async ({ name, version, folder }) => {
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    const file = names.find((name) => /^licen[cs]e/i.test(name));
    return `${name} ${version}\n\n${file ? await Deno.readTextFile(`${folder}/${file}`) : ""}`;
  }));
  const deno = `Deno ${Deno.version.deno}: MIT licence, copyright 2018-2026 the Deno authors`;
  return [`fusebox ${config.version}\n\n${own}`, deno, ...theirs].join(`\n${"=".repeat(72)}\n\n`);
}

async function headOf(values: Readonly<Record<string, string>>): Promise<string> {
  const template = await Deno.readTextFile(new URL("./portable/head.sh", import.meta.url));
  return template.replaceAll(/@([A-Z]+)@/g, (_, name) => values[name]!);
}

async function systemName(): Promise<string> {
  const { stdout } = await new Deno.Command("uname", { args: ["-s", "-m"] }).output();
  return new TextDecoder().decode(stdout).trim();
}

/** Of the task's arguments. @throws {Error} where they are no file's name */
export function pathOf([file, ...more]: readonly string[]): string {
  const odd = file?.startsWith("-") ? file : more[0];
  if (odd === undefined) return resolve(file ?? `${ROOT}dist/fusebox`);
  throw new Error(`Cannot build with ${odd}: there is the name of the file, and no more`);
}

if (import.meta.main) {
  try {
    const path = pathOf(Deno.args);
    await Deno.mkdir(dirname(path), { recursive: true });
    const bytes = await buildPortable(path);
    // deno-lint-ignore no-console -- a task is read by people
    console.log(`${path}: ${(bytes / 1e6).toFixed(1)} MB, Deno ${Deno.version.deno}`);
  } catch (error) {
    // deno-lint-ignore no-console -- a task is read by people
    console.error((error as Error).message);
    Deno.exitCode = 1;
  }
}
