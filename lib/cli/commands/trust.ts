/** `fusebox trust`: which files of projects are used, and the way back. @module */
import { PROJECT_FILES } from "../../config/find.ts";
import { configuredSecrets } from "../../config/secrets.ts";
import { nearest } from "../../kit/near.ts";
import { visible } from "../../kit/printable.ts";
import { UsageError } from "../../kit/usage.ts";
import type { Args } from "../args.ts";
import { findProject } from "../configure.ts";
import { EXIT } from "../failure.ts";
import { writeJson } from "../hiding.ts";
import { configOf, projectLines, readProject } from "../project.ts";
import { columns, count, Screen } from "../screen.ts";
import { needState } from "../state.ts";
import { standingOf, TrustBook, type Verdict } from "../trust.ts";
import type { World } from "../world.ts";

/** @returns 0, or 7 when the person says no */
export async function trustCommand(args: Args, world: World): Promise<number> {
  const screen = new Screen(args, world);
  const [word, file, ...more] = args.words;
  // No project file is called like an action, so that neither hides the other.
  const isAction = word === "list" || word === "revoke" || word === "clear";
  if (more.length > 0 || (file !== undefined && word !== "revoke")) {
    throw new UsageError(`Cannot run "fusebox trust ${args.words.join(" ")}": too many words`, {
      hint: "fusebox trust [FILE], list, revoke [FILE], or clear",
    });
  }
  const what = isAction && word === "list" ? "list what is trusted" : "change what is trusted";
  const book = new TrustBook(await needState(what, world), (line) => screen.warn(line));
  if (!isAction) return await trust(word, book, args, world, screen);
  if (word === "clear") {
    await book.clear();
    screen.say("No project file is trusted any more");
  } else if (word === "revoke") await revoke(file, book, world, screen);
  else await list(book, args, world, screen);
  await screen.flush();
  return EXIT.ok;
}

async function trust(
  file: string | undefined,
  book: TrustBook,
  args: Args,
  world: World,
  screen: Screen,
): Promise<number> {
  const { folder, name } = await locate(file, world);
  const found = await world.look(`${folder}/${name}`).catch(() => undefined);
  if (!found) throw new UsageError(`Cannot trust ${folder}/${name}: no such file`);
  const project = await readProject(folder, name, found, world);
  const { place, source: { path } } = project;
  const standing = standingOf(await book.about(place), place);
  if (standing === "trusted") {
    screen.say(`Trusted already: ${path}`);
    return EXIT.ok;
  }
  const config = await configOf(project, world);
  const secrets = configuredSecrets(config.servers, world.env);
  const shown = projectLines(project, standing, config);
  const say = (verdict: Verdict["verdict"]) =>
    book.say({ ...place, verdict, at: world.clock.now() });
  const { terminal } = world;
  if (args.yes || !terminal) {
    // What is said to nobody in particular lands in logs.
    world.secrets.add(secrets);
    screen.say(shown.trimEnd());
    if (!args.yes) {
      // A name is soon written into a script; who says --yes says that somebody has looked.
      throw new UsageError(`Cannot trust ${path}: there is no terminal to ask on`, {
        hint: `fusebox trust --yes ${file ?? name} trusts it unasked; -c uses it once`,
      });
    }
  } else {
    const asked = `${shown}Trust it as it is? [y] yes  [n] no: `;
    const said = (await screen.aside(() => terminal.ask(asked, world.signal)))
      ?.trim().toLowerCase() ?? "";
    world.secrets.add(secrets);
    if (!["y", "yes", "t", "trust"].includes(said)) {
      if (said === "n" || said === "no") await say("refused");
      screen.say(`Not trusted: ${path}`);
      return EXIT.denied;
    }
  }
  await say("trusted");
  screen.say(`Trusted, until a byte of it changes: ${path}`);
  const first = await findProject(folder, world);
  if (first && first.name !== name) {
    screen.say(`It is not used as long as ${first.name} is there: that goes before it`, "yellow");
  }
  await screen.flush();
  return EXIT.ok;
}

/** The folder, canonical where it is there, and the name in it. @throws {UsageError} for a name that no run looks for */
async function locate(
  file: string | undefined,
  world: World,
): Promise<{ folder: string; name: string }> {
  if (file === undefined) {
    const there = await findProject(world.folder, world);
    if (there) return { folder: world.folder, name: there.name };
    const names = PROJECT_FILES.join(", ");
    throw new UsageError(`Cannot find a project file here: there is none of ${names}`, {
      hint: "fusebox trust FILE names one of another folder",
    });
  }
  const [, above = "", name = ""] = /^(.*?)[\\/]*([^\\/]*)$/s.exec(file) ?? [];
  if (!PROJECT_FILES.includes(name)) {
    const [near] = nearest(name, PROJECT_FILES, 1);
    throw new UsageError(`Cannot trust ${file}: no run looks for a file of this name`, {
      hint: near
        ? `Did you mean ${near}? Any other is used with -c`
        : `Found by themselves are ${PROJECT_FILES.join(", ")}; any other is used with -c`,
    });
  }
  const isAbsolute = /^(?:[\\/]|[A-Za-z]:[\\/])/.test(file);
  const folder = isAbsolute
    ? above || "/"
    : above === ""
    ? world.folder
    : `${world.folder}/${above}`;
  const real = await world.look(folder).catch(() => undefined);
  return { folder: real?.path ?? tidied(folder), name };
}

/** Of a folder that is gone, which no disk can resolve any more. */
function tidied(folder: string): string {
  const kept: string[] = [];
  for (const part of folder.split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return (folder.startsWith("/") ? "/" : "") + kept.join("/");
}

async function revoke(
  file: string | undefined,
  book: TrustBook,
  world: World,
  screen: Screen,
): Promise<void> {
  const { folder, name } = await locate(file, world);
  const all = await book.list();
  const said = all.find((it) => it.folder === folder && it.name === name);
  if (!said) {
    const paths = all.map(fileOf);
    const [near] = nearest(`${folder}/${name}`, paths, 1);
    throw new UsageError(`Cannot revoke ${folder}/${name}: nothing was said of it`, {
      hint: near ? `Did you mean ${near}?` : "fusebox trust list shows what was",
    });
  }
  await book.forget(said);
  screen.say(`Forgotten: ${fileOf(said)} (the next run asks)`);
}

function fileOf({ folder, name }: Verdict): string {
  return `${folder}/${name}`;
}

async function list(book: TrustBook, args: Args, world: World, screen: Screen): Promise<void> {
  const all = await book.list();
  const files = await Promise.all(all.map(async (said) => ({
    file: fileOf(said),
    state: await stateOf(said, world),
    since: new Date(said.at).toISOString(),
    sha256: said.sha256,
  })));
  if (args.json || args.jsonl) return await writeJson({ files }, args, world);
  const rows = files.map(({ file, state, since }) => [
    visible(file, 200),
    state,
    since.slice(0, 10),
  ]);
  await world.out.write(columns([["FILE", "STATE", "SINCE"], ...rows]));
  screen.say(`${count(rows.length, "file")} decided on`, "dim");
}

/** How things stand now: `trusted`, `changed`, `refused`, `gone`. */
async function stateOf(said: Verdict, world: World): Promise<string> {
  const { folder, name } = said;
  const found = await world.look(fileOf(said)).catch(() => undefined);
  if (!found) return "gone";
  try {
    const standing = standingOf(said, (await readProject(folder, name, found, world)).place);
    return standing === "new" ? "changed" : standing;
  } catch {
    return "changed"; // Whatever stands there now was never read by anybody.
  }
}
