/** The README keeps its word: its commands run, its help is the program's, its tables are the code's. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { HELP } from "../lib/cli/help.ts";
import { PROVIDERS } from "../lib/models/providers/table.ts";
import { executable } from "./support/executable.ts";
import { missing } from "./support/named_tests.ts";
import { ROOT } from "./support/paths.ts";

const README = Deno.readTextFileSync(ROOT + "README.md");

interface Block {
  text: string;
  /** Marked as one for a clone of this repository, and not for any folder. */
  isHere: boolean;
}

/** Fenced blocks of a language, but for those that a comment above them marks with a reason. */
function fences(language: string, page = README): Block[] {
  const found = page.matchAll(
    /(?:<!-- (not run: [^>]+|in the repository) -->\n+)?```(\w+)\n([\s\S]*?)```/g,
  );
  return [...found].filter(([, mark, of]) => of === language && !mark?.startsWith("not run"))
    .map(([, mark, , text]) => ({ text: text!, isHere: mark !== undefined }));
}

const blocks = (language: string) => fences(language).map(({ text }) => text);

Deno.test("the README shows the help that the program prints", () => {
  assert(blocks("text").includes(HELP));
});

Deno.test("the reference names every exit code and every reason code there is", () => {
  const reference = Deno.readTextFileSync(ROOT + "docs/reference.md");
  const codes = Deno.readTextFileSync(ROOT + "lib/cli/failure.ts").match(/(?<=: )\d+(?=,\n)/g)!;
  for (const code of [...codes, "130", "143", "129"]) assert(reference.includes(code), code);
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
  for (const code of thrown) {
    assert(reference.includes(`\`${code}\``), `${code} is not in the reference`);
  }
});

Deno.test("docs/models.md has every provider, in the order in which a key decides, with its default", () => {
  const page = Deno.readTextFileSync(ROOT + "docs/models.md");
  const rows = page.split("\n").filter((line) => line.startsWith("| `")).flatMap((line) => {
    const [, names = "", model = ""] = line.split("|").map((cell) => cell.trim());
    return [...names.matchAll(/`([\w-]+)`/g)].map(([, name]) => [name, model.replaceAll("`", "")]);
  });
  assert.deepEqual(rows, PROVIDERS.map(({ name, defaultModel = "–" }) => [name, defaultModel]));
});

Deno.test("each promise of the README names a test that exists", () => {
  const from = README.indexOf("## What fusebox promises");
  const section = README.slice(from, README.indexOf("\n## ", from + 1));
  const rows = section.split("\n").filter((line) => line.startsWith("| ")).slice(2);
  assert(rows.length >= 20);
  const said = section.split("\n").slice(1).filter((line) => line.trim() && !line.startsWith("|"));
  assert.deepEqual(said, [], "a sentence outside the table promises without a proof");
  for (const row of rows) {
    const [, file, sentence] = /\]\(tests\/([\w/]+\.ts)\): “([^”]+?)(?: …)?” +\|$/.exec(row) ?? [];
    assert(file && sentence, row);
    assert.equal(missing([file, sentence]), undefined);
  }
});

/** The pages that a user reads: every command in them is run. */
function pages(): string[] {
  const found = ["README.md"];
  const walk = (folder: string): void => {
    for (const { name, isDirectory } of Deno.readDirSync(ROOT + folder)) {
      if (isDirectory) walk(`${folder}/${name}`);
      else if (name.endsWith(".md")) found.push(`${folder}/${name}`);
    }
  };
  walk("docs");
  return found.sort();
}

/** Runs what a page shows, block by block, in a home of its own. */
async function follow(page: string): Promise<number> {
  const scripts = fences("sh", await Deno.readTextFile(ROOT + page));
  if (scripts.length === 0) return 0;
  const home = await Deno.makeTempDir();
  try {
    const bin = `${home}/bin`;
    await Deno.mkdir(bin);
    const self = `exec "${Deno.execPath()}" run -A --quiet "${ROOT}main.ts" "$@"`;
    await executable(`${bin}/fusebox`, `#!/bin/sh\n${self}\n`);
    // What a page installs is what its other commands use: that wants Deno where it can be found.
    const installed = `${home}/.deno/bin:${bin}:${dirname(Deno.execPath())}`;
    for (const { text, isHere } of scripts) {
      const { code, stderr } = await new Deno.Command("sh", {
        args: ["-eu", "-c", text],
        cwd: isHere ? ROOT : home,
        clearEnv: true,
        env: {
          HOME: home,
          PATH: `${installed}:/usr/bin:/bin`,
          DENO_DIR: Deno.env.get("DENO_DIR") ?? defaultDenoDir(),
        },
        stdin: "null",
        stdout: "null",
        stderr: "piped",
      }).output();
      assert.equal(code, 0, `${page}:\n${text}\n${new TextDecoder().decode(stderr)}`);
    }
  } finally {
    await Deno.remove(home, { recursive: true });
  }
  return scripts.length;
}

Deno.test(
  "the commands of the README and of every page of docs/ run as they stand",
  { ignore: Deno.build.os === "windows" },
  async () => {
    const left = pages();
    const ran = new Map<string, number>();
    const reader = async () => {
      for (let page = left.shift(); page; page = left.shift()) ran.set(page, await follow(page));
    };
    await Promise.all([reader(), reader()]);
    for (const page of ["README.md", "docs/getting-started.md", "docs/recipes.md", "docs/ci.md"]) {
      assert(ran.get(page)! >= 2, page);
    }
  },
);

Deno.test("every link from one page to another leads somewhere", () => {
  const broken = [...pages(), "ARCHITECTURE.md", "CONTRIBUTING.md"].flatMap((page) => {
    const text = Deno.readTextFileSync(ROOT + page).replace(/```[\s\S]*?```/g, "");
    return [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].flatMap(([, to]) => {
      const [path = "", place] = to!.split("#");
      const target = path === "" ? ROOT + page : new URL(path, `file://${ROOT}${page}`).pathname;
      try {
        if (Deno.statSync(target).isDirectory || place === undefined) return [];
        const headings = Deno.readTextFileSync(target).matchAll(/^#+ (.+)$/gm);
        const places = [...headings].map(([, heading]) =>
          heading!.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").trim().replaceAll(" ", "-")
        );
        return places.includes(place) ? [] : [`${page}: ${to}`];
      } catch {
        return [`${page}: ${to}`];
      }
    });
  });
  assert.deepEqual(broken, []);
});

/** Where packages are already: a new HOME would have them downloaded again. */
function defaultDenoDir(): string {
  const home = Deno.env.get("HOME") ?? "";
  return Deno.build.os === "darwin" ? `${home}/Library/Caches/deno` : `${home}/.cache/deno`;
}
