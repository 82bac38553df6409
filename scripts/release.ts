/** `release.ts URL FOLDER`: writes the sums of the folder's files, and the install script that knows them. @module */
import { createHash } from "node:crypto";
import config from "../deno.json" with { type: "json" };

/** The sums of these files, a line each, as `sha256sum` prints and checks them. */
export async function sumsOf(folder: string): Promise<string> {
  const names = (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name))
    .filter((name) => name.startsWith("fusebox-"))
    .sort();
  const lines = await Promise.all(names.map(async (name) => {
    const bytes = await Deno.readFile(`${folder}/${name}`);
    return `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`;
  }));
  return lines.join("");
}

/** The install script of a version whose files are at this address. */
export async function installScript(version: string, url: string, sums: string): Promise<string> {
  const template = await Deno.readTextFile(new URL("./install.sh", import.meta.url));
  const values: Readonly<Record<string, string>> = {
    VERSION: version,
    URL: url,
    SUMS: sums.trimEnd(),
  };
  return template.replaceAll(/@([A-Z]+)@/g, (_, name) => values[name]!);
}

if (import.meta.main) {
  const [url = "", folder = "dist"] = Deno.args;
  const sums = await sumsOf(folder);
  await Deno.writeTextFile(`${folder}/SHA256SUMS`, sums);
  await Deno.writeTextFile(
    `${folder}/install.sh`,
    await installScript(config.version, url, sums),
    { mode: 0o755 },
  );
}
