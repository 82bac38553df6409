/** The install script over a file server of our own, with a program of two lines in place of fusebox. @module */
import assert from "node:assert/strict";
import { installScript, sumsOf } from "../../scripts/release.ts";
import { ROOT } from "../support/paths.ts";
import { posixTest, testWhere } from "../support/cli.ts";

const PROGRAM = "#!/bin/sh\necho fusebox 9.8.7\n";

interface Scene {
  home: string;
  /** Sums as a release writes them, of a file for every system. */
  sums: string;
  install(sums: string, env?: Record<string, string>, lines?: number): Promise<Installed>;
}

interface Installed {
  code: number;
  said: string;
  /** What is in the folder now. */
  left: string[];
}

/** Serves `text` as every file there is. */
async function scene(text: string, play: (scene: Scene) => Promise<void>): Promise<void> {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "fusebox install " }));
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) =>
      new URL(request.url).pathname.startsWith("/files/fusebox-")
        ? new Response(text)
        : new Response("no", { status: 404 }),
  );
  try {
    const files = `${home}/released`;
    await Deno.mkdir(files);
    for (const target of ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"]) {
      await Deno.writeTextFile(`${files}/fusebox-${target}`, PROGRAM);
    }
    for (const target of ["x86_64-apple-darwin", "aarch64-apple-darwin"]) {
      await Deno.writeTextFile(`${files}/fusebox-${target}`, PROGRAM);
    }
    const url = `http://127.0.0.1:${server.addr.port}/files`;
    await play({
      home,
      sums: await sumsOf(files),
      async install(sums, env = {}, lines = Infinity) {
        const script = `${home}/install.sh`;
        const text = await installScript("9.8.7", url, sums);
        await Deno.writeTextFile(script, text.split("\n").slice(0, lines).join("\n"));
        const { code, stdout, stderr } = await new Deno.Command("sh", {
          args: [script],
          cwd: home,
          clearEnv: true,
          env: { HOME: home, PATH: Deno.env.get("PATH") ?? "", ...env },
          stdin: "null",
        }).output();
        const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
        return { code, said, left: await namesIn(`${home}/.local/bin`) };
      },
    });
  } finally {
    await server.shutdown();
    await Deno.remove(home, { recursive: true });
  }
}

const PATH = (Deno.env.get("PATH") ?? "").split(":");

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  } catch {
    return [];
  }
}

posixTest(
  "install.sh puts a file whose sum is right into ~/.local/bin, and says what is to be done",
  () =>
    scene(PROGRAM, async ({ home, sums, install }) => {
      const { code, said, left } = await install(sums);
      assert.equal(code, 0, said);
      assert.deepEqual(left, ["fusebox"]);
      assert.match(
        said,
        /^fusebox 9\.8\.7 is in .*\.local\/bin\n {2}That folder is not in your PATH/,
      );
      const { stdout } = await new Deno.Command(`${home}/.local/bin/fusebox`).output();
      assert.equal(new TextDecoder().decode(stdout), "fusebox 9.8.7\n");
    }),
);

posixTest(
  "install.sh replaces what it installed before, and says nothing of a PATH that has it",
  () =>
    scene(PROGRAM, async ({ home, sums, install }) => {
      await install(sums);
      const path = `${home}/.local/bin:${Deno.env.get("PATH")}`;
      const { code, said, left } = await install(sums, { PATH: path });
      assert.deepEqual([code, left], [0, ["fusebox"]]);
      assert.equal(said, `fusebox 9.8.7 is in ${home}/.local/bin\n`);
    }),
);

posixTest(
  "install.sh says a folder as it stands in a PATH, and takes none for the program",
  () =>
    scene(PROGRAM, async ({ home, sums, install }) => {
      const path = `${home}/my/bin:${Deno.env.get("PATH")}`;
      for (const folder of ["my/bin", "my/bin/", `${home}/my/bin/`]) {
        const { code, said } = await install(sums, { FUSEBOX_BIN: folder, PATH: path });
        assert.deepEqual([code, said], [0, `fusebox 9.8.7 is in ${home}/my/bin\n`]);
      }
      await Deno.mkdir(`${home}/.local/bin/fusebox`, { recursive: true });
      const { code, said, left } = await install(sums);
      assert.deepEqual([code, left], [1, ["fusebox"]]);
      assert.match(said, /Cannot install fusebox to .*: there is a folder of that name\n/);
      assert.deepEqual(await namesIn(`${home}/.local/bin/fusebox`), []);
    }),
);

posixTest(
  "install.sh that is cut off somewhere does nothing, and does not pass for done",
  () =>
    scene(PROGRAM, async ({ home, sums, install }) => {
      const all = (await installScript("9.8.7", "", sums)).trimEnd().split("\n").length;
      for (let lines = 4; lines < all; lines += 7) {
        const { code, left } = await install(sums, {}, lines);
        assert.deepEqual([code === 0, left], [false, []], `${lines} lines`);
      }
      assert.equal((await install(sums, {}, all - 1)).code === 0, false);
      assert.deepEqual(await namesIn(`${home}/.local`), []);
    }),
);

posixTest(
  "install.sh takes wget where there is no curl, and asks for a way to check before it downloads",
  () =>
    scene(PROGRAM, async ({ home, sums, install }) => {
      const tools = `${home}/tools`;
      await Deno.mkdir(tools);
      const link = async (...names: string[]) => {
        for (const name of names) {
          const found = PATH.map((folder) => `${folder}/${name}`).find(isFile);
          if (found) await Deno.symlink(found, `${tools}/${name}`);
        }
      };
      await link("sh", "uname", "mkdir", "mktemp", "rm", "chmod", "mv", "tail");
      const none = await install(sums, { PATH: tools });
      assert.deepEqual([none.code, none.left], [1, []]);
      assert.match(none.said, /there is neither sha256sum nor shasum\n$/);
      await link("sha256sum", "shasum", "perl");
      const mute = await install(sums, { PATH: tools });
      assert.match(mute.said, /there is neither curl nor wget\n$/);
      await link("wget");
      if (!isFile(`${tools}/wget`)) return;
      const lost = await install(sums, { PATH: tools, FUSEBOX_URL: "http://127.0.0.1:9" });
      assert.match(lost.said, /Cannot download http:\S+\n {2}.*refused/);
      assert.deepEqual((await install(sums, { PATH: tools })).left, ["fusebox"]);
    }),
);

posixTest(
  "install.sh refuses a file that is not the released one, and leaves nothing",
  () =>
    scene(PROGRAM.replace("9.8.7", "9.8.8"), async ({ sums, install }) => {
      const { code, said, left } = await install(sums);
      assert.deepEqual([code, left], [1, []]);
      assert.match(
        said,
        /Cannot install fusebox: .* is not what was released\n {2}Its SHA-256 sum is/,
      );
    }),
);

posixTest(
  "install.sh refuses a file of which it knows no sum, before anything is downloaded",
  () =>
    scene(PROGRAM, async ({ sums, install }) => {
      for (
        const none of ["", sums.replaceAll("fusebox-", "other-"), sums.replaceAll(/^\S{60}/gm, "")]
      ) {
        const { code, said, left } = await install(none);
        assert.deepEqual([code, left], [1, []], none);
        assert.match(said, /this script knows no SHA-256 sum of fusebox-/);
      }
    }),
);

posixTest("install.sh refuses what does not run here, and what can't be downloaded", async () => {
  const broken = "#!/bin/sh\nexit 1\n";
  await scene(broken, async ({ home, install }) => {
    for await (const { name } of Deno.readDir(`${home}/released`)) {
      await Deno.writeTextFile(`${home}/released/${name}`, broken);
    }
    const { code, said, left } = await install(await sumsOf(`${home}/released`));
    assert.deepEqual([code, left], [1, []]);
    assert.match(said, /Cannot install fusebox: fusebox-\S+ does not run here/);
  });
  await scene(PROGRAM, async ({ sums, install }) => {
    const { code, said, left } = await install(sums, { FUSEBOX_URL: "http://127.0.0.1:9/files" });
    assert.deepEqual([code, left], [1, []]);
    assert.match(said, /Cannot download http:\/\/127\.0\.0\.1:9\/files\/fusebox-/);
  });
});

posixTest("install.sh as it stands in the source installs nothing", async () => {
  const home = await Deno.makeTempDir();
  try {
    const { code, stderr } = await new Deno.Command("sh", {
      args: [`${ROOT}scripts/install.sh`],
      env: { HOME: home },
    }).output();
    assert.equal(code, 1);
    assert.match(new TextDecoder().decode(stderr), /knows no SHA-256 sum/);
    assert.deepEqual(await namesIn(home), []);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

function hasShellcheck(): boolean {
  try {
    return new Deno.Command("shellcheck", { args: ["--version"], stdout: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
}

testWhere(
  hasShellcheck(),
  "no shellcheck here",
  "shellcheck finds nothing in install.sh",
  async () => {
    const { stdout } = await new Deno.Command("shellcheck", {
      args: [`${ROOT}scripts/install.sh`],
    }).output();
    assert.equal(new TextDecoder().decode(stdout), "");
  },
);
