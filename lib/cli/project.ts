/** The configuration that came with a project: looked at, shown, and used once a person says so. @module */
import type { Config } from "../config/config.ts";
import { effectsOf } from "../config/effects.ts";
import { configuredSecrets } from "../config/secrets.ts";
import type { SourceFile } from "../config/read.ts";
import { someText } from "../kit/encoding.ts";
import { visible } from "../kit/printable.ts";
import { UsageError } from "../kit/usage.ts";
import type { Args } from "./args.ts";
import { count, Screen } from "./screen.ts";
import { load } from "./sources.ts";
import { openState } from "./state.ts";
import { type Place, placeOf, type Standing, standingOf, TrustBook } from "./trust.ts";
import type { Found, World } from "./world.ts";

/** More than anybody writes, or reads before they trust it. */
const MAX_BYTES = 2 ** 20;

export interface ProjectFile {
  place: Place;
  source: SourceFile;
}

/**
 * Reads the file of this name in a folder, once: what is hashed is what is parsed.
 * @throws {UsageError} when it can't be read, or is too large
 */
export async function readProject(
  folder: string,
  name: string,
  found: Found,
  world: World,
): Promise<ProjectFile> {
  const path = `${folder}/${name}`;
  const refused = (why: string) => new UsageError(`Cannot read ${path}: ${why}`);
  if (!found.isFile) throw refused("it is no file");
  if (found.size > MAX_BYTES) throw refused("it is over 1 MiB");
  const bytes = await world.readBytes(found.path).catch((error) => {
    throw refused((error as Error).message);
  });
  if (bytes === undefined) throw refused("no such file");
  const text = someText(bytes);
  if (text === undefined) throw refused("it is no text");
  const real = (await world.look(folder))?.path ?? folder;
  const place = await placeOf({ folder: real, name, path: found.path }, bytes);
  return { place, source: { path, text } };
}

/** What it says, by itself. @throws {UsageError} with all that is wrong in it */
export async function configOf({ source }: ProjectFile, world: World): Promise<Config> {
  return await load([source], world);
}

/**
 * The file of this name in the current folder, where it is trusted, or a person says so now. Else a
 * line says why it is not used, and undefined is returned. What is wrong with it is nobody's trouble
 * who never asked for it.
 * @throws the signal's reason
 */
export async function approvedProject(
  name: string,
  found: Found,
  args: Args,
  world: World,
): Promise<SourceFile | undefined> {
  const screen = new Screen(args, world);
  try {
    const file = await readProject(world.folder, name, found, world);
    return await isApproved(file, args, world, screen) ? file.source : undefined;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message, issues } = error;
    const why = issues.length > 0
      ? `${count(issues.length, "problem")} in it (fusebox -c ${name} servers shows them)`
      : message;
    screen.say(`${world.folder}/${name} is not used: ${why}`, "yellow");
    return undefined;
  }
}

async function isApproved(
  file: ProjectFile,
  args: Args,
  world: World,
  screen: Screen,
): Promise<boolean> {
  const { place, source: { path } } = file;
  const opened = await openState(world);
  const book = "state" in opened
    ? new TrustBook(opened.state, (line) => screen.say(line, "yellow"))
    : undefined;
  const standing = standingOf(await book?.about(place), place);
  if (standing === "trusted") return true;
  if (standing === "refused") {
    screen.detail(`${path} is not used: you said no (fusebox trust asks again)`);
    return false;
  }
  const why = standing === "changed"
    ? "it has changed since you trusted it"
    : "it starts processes, and you have not trusted it";
  // `--yes` is about tools, and was said before anybody had seen this file.
  if (!world.terminal || args.yes) {
    const { name } = place;
    screen.say(
      `${path} is not used: ${why} (fusebox trust shows it and asks; -c ${name} uses it)`,
      "yellow",
    );
    return false;
  }
  const config = await configOf(file, world);
  const secrets = configuredSecrets(config.servers, world.env);
  const asked = projectLines(file, standing, config) +
    `[y] use it once  [t] trust it as it is  [n] no: `;
  const said = (await screen.aside(() => world.terminal!.ask(asked, world.signal)))
    ?.trim().toLowerCase() ?? "";
  // The question shows the file as it is written; nothing that is kept of it does.
  world.secrets.add(secrets);
  const isTrusted = ["t", "trust"].includes(said);
  if (isTrusted || ["n", "no"].includes(said)) {
    const verdict = isTrusted ? "trusted" : "refused";
    const kept = { ...place, verdict, at: world.clock.now() } as const;
    const failed = book ? await book.say(kept).catch(whyOf) : opened as { why: string };
    if (failed) {
      screen.say(`Cannot keep the answer, it holds for this run: ${failed.why}`, "yellow");
    }
  }
  return isTrusted || ["y", "yes", "once"].includes(said);
}

function whyOf(error: Error): { why: string } {
  return { why: error.message };
}

/** What a person is shown of a file before they are asked about it, as it is written. Safe to print. */
export function projectLines(
  { place, source: { path } }: ProjectFile,
  standing: Exclude<Standing, "trusted">,
  config: Config,
): string {
  const link = place.path === `${place.folder}/${place.name}` ? "" : ` (a link to ${place.path})`;
  const changed = standing === "changed" ? " has changed since you trusted it. It" : "";
  return `${visible(path + link, 500)}${changed} would start:\n` +
    effectsOf(config).map((line) => `  ${line}\n`).join("");
}
