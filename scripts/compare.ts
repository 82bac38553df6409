/** Reruns the table of docs/comparison.md: `deno run -A scripts/compare.ts [--raw] [ROW…]`, on Linux, with npm. @module */
import config from "../deno.json" with { type: "json" };
import { Act } from "./compare/act.ts";
import { clients } from "./compare/clients.ts";
import { LOOP_SCENES } from "./compare/loop_scenes.ts";
import { loops } from "./compare/loops.ts";
import { SCENES } from "./compare/scenes.ts";
import { Stage } from "./compare/stage.ts";

const NODE = "24.22.3";
const MAIN = new URL("../main.ts", import.meta.url).pathname;
const raw = Deno.args.includes("--raw");
const wanted = Deno.args.filter((arg) => !arg.startsWith("--"));

function print(text: string): void {
  // deno-lint-ignore no-console -- a script for people
  console.log(text);
}

function tell(text: string): void {
  // deno-lint-ignore no-console -- a script for people
  console.error(text);
}

/** Installs the contestants and a Node for them, all of exact versions, and gives the Node. */
async function install(folder: string, packages: readonly string[]): Promise<string> {
  const { os, arch } = Deno.build;
  const node = `node-${os}-${arch === "aarch64" ? "arm64" : "x64"}`;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/package.json`, '{"private": true}');
  const { success, stderr } = await new Deno.Command("npm", {
    args: [
      "install",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      `${node}@${NODE}`,
      ...packages,
    ],
    cwd: folder,
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`Cannot install: ${new TextDecoder().decode(stderr)}`);
  return `${folder}/node_modules/${node}/bin/node`;
}

/** A table of contestants, one row for each scene that is wanted; a cell that fails says so. */
async function table<Scene extends { title: string }, Who extends { name: string }>(
  scenes: readonly Scene[],
  all: readonly Who[],
  first: number,
  cell: (scene: Scene, who: Who, log: (text: string) => void) => Promise<string>,
): Promise<void> {
  const rows = scenes.map((scene, n) => ({ scene, row: first + n }))
    .filter(({ row }) => wanted.length === 0 || wanted.includes(`${row}`));
  if (rows.length === 0) return;
  print("");
  print(`| | ${all.map(({ name }) => name).join(" | ")} |`);
  print(`|---|${"---|".repeat(all.length)}`);
  for (const { scene, row } of rows) {
    const cells = [];
    // One at a time: what one of them leaves running would cost the next one its time.
    for (const who of all) {
      const log = (text: string) => raw ? tell(`${row}. [${who.name}] ${text}`) : undefined;
      cells.push(await cell(scene, who, log).catch((error) => `? ${error.message}`));
    }
    print(`| ${row}. ${scene.title} | ${cells.join(" | ")} |`);
  }
}

async function main(): Promise<void> {
  const kept = Deno.env.get("COMPARE_DIR");
  const folder = kept ?? await Deno.makeTempDir({ prefix: "compare-npm-" });
  const one = clients(folder, MAIN);
  const two = loops(folder, MAIN);
  const packages = [...one, ...two].flatMap(({ package: name }) => name ?? []);
  const node = await install(folder, packages);
  print(
    `${
      new Date().toISOString().slice(0, 10)
    }, ${navigator.hardwareConcurrency} cores, Linux, Node ${NODE}, Deno ${Deno.version.deno}:`,
  );
  print(`fusebox ${config.version}, ${packages.join(", ")}`);
  await table(SCENES, one, 1, async (scene, client, log) => {
    await using stage = await Stage.open(node);
    return await scene.cell(new Act(client, stage, log));
  });
  await table(LOOP_SCENES, two, SCENES.length + 1, async (scene, loop, log) => {
    await using stage = await Stage.open(node);
    return await scene.cell(loop, stage, log);
  });
  if (kept === undefined) await Deno.remove(folder, { recursive: true });
}

await main();
