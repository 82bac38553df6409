/** The README keeps its word: its commands run, its help is the program's, its tables are the code's. */
import assert from "node:assert/strict";
import { HELP } from "../lib/cli/help.ts";
import { ROOT } from "./support/paths.ts";

const README = Deno.readTextFileSync(ROOT + "README.md");

/** Fenced blocks of a language, but for those that a comment above them marks with a reason. */
function blocks(language: string): string[] {
  const fences = README.matchAll(/(<!-- not run: [^>]+ -->\n+)?```(\w+)\n([\s\S]*?)```/g);
  return [...fences].filter(([, mark, of]) => of === language && !mark).map(([, , , text]) =>
    text!
  );
}

Deno.test("the README shows the help that the program prints", () => {
  assert(blocks("text").includes(HELP));
});

Deno.test("the README names every exit code and every reason code there is", () => {
  const codes = Deno.readTextFileSync(ROOT + "lib/cli/failure.ts").match(/(?<=: )\d+(?=,\n)/g)!;
  for (const code of [...codes, "130", "143", "129"]) assert(README.includes(code), code);
  const sources = [...Deno.readDirSync(ROOT + "lib")].map(({ name }) => ROOT + "lib/" + name);
  const thrown = new Set<string>();
  const read = (path: string): void => {
    if (Deno.statSync(path).isDirectory) {
      for (const { name } of Deno.readDirSync(path)) read(`${path}/${name}`);
    } else {
      const text = Deno.readTextFileSync(path);
      for (const [, code] of text.matchAll(/TransportError\(\s*"(\w+)"/g)) thrown.add(code!);
    }
  };
  sources.forEach(read);
  assert(thrown.size > 8);
  for (const code of thrown) assert(README.includes(`\`${code}\``), `${code} is not in the README`);
});

Deno.test(
  "the commands of the README run as they stand",
  { ignore: Deno.build.os === "windows" },
  async () => {
    const home = await Deno.makeTempDir();
    try {
      const bin = `${home}/bin`;
      await Deno.mkdir(bin);
      const self = `exec "${Deno.execPath()}" run -A --quiet "${ROOT}main.ts" "$@"`;
      await Deno.writeTextFile(`${bin}/fusebox`, `#!/bin/sh\n${self}\n`, { mode: 0o755 });
      const scripts = blocks("sh");
      assert(scripts.length >= 2);
      for (const script of scripts) {
        const { code, stderr } = await new Deno.Command("sh", {
          args: ["-eu", "-c", script],
          cwd: home,
          clearEnv: true,
          env: {
            HOME: home,
            PATH: `${bin}:/usr/bin:/bin`,
            DENO_DIR: Deno.env.get("DENO_DIR") ?? defaultDenoDir(),
          },
          stdin: "null",
          stdout: "null",
          stderr: "piped",
        }).output();
        assert.equal(code, 0, `${script}\n${new TextDecoder().decode(stderr)}`);
      }
    } finally {
      await Deno.remove(home, { recursive: true });
    }
  },
);

/** Where packages are already: a new HOME would have them downloaded again. */
function defaultDenoDir(): string {
  const home = Deno.env.get("HOME") ?? "";
  return Deno.build.os === "darwin" ? `${home}/Library/Caches/deno` : `${home}/.cache/deno`;
}
