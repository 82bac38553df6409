/** The portable file where there is neither Deno nor Node: it starts from anywhere and does all that the source does. @module */
import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually, testWhere } from "../support/cli.ts";
import { Bare, denoDir, headOf, portable, removePortable } from "../support/portable.ts";
import { fetched, newPlace, programOf, STRANGERS } from "../support/strangers.ts";

const POSIX = Deno.build.os !== "windows";
const LINUX = Deno.build.os === "linux";
const ROOT_USER = LINUX && Deno.uid() === 0;

function test(name: string, fn: (bare: Bare, file: string) => Promise<void>): void {
  testWhere(POSIX, "its head is a shell script", name, async () => {
    await using bare = await Bare.make();
    await fn(bare, await portable());
  });
}

Deno.test.beforeAll(async () => {
  if (POSIX) await Promise.all([portable(), fetched()]);
});
Deno.test.afterAll(removePortable);

test(
  "it holds 9 of 9, and the demo ends well, with Deno and Node out of PATH",
  async (bare, file) => {
    for (const name of ["deno", "node", "npx"]) {
      await assert.rejects(Deno.stat(join(bare.path, name)), Deno.errors.NotFound);
    }
    const selftest = await bare.run(file, ["selftest"]);
    assert.deepEqual([selftest.code, selftest.out.trimEnd().split("\n").at(-1)], [0, "9 of 9"]);
    const demo = await bare.run(file, ["demo"]);
    assert.equal(demo.code, 0, demo.err);
    assert.match(demo.out, /mended to/);
  },
);

test("it prints the same bytes as from source", async (bare, file) => {
  const release = ["call", "notes.search", "query=release"];
  const odd = [
    "call",
    "notes.add_note",
    JSON.stringify({ title: "a 'b' \"c\"\n$(d) *", body: "ü 👋" }),
  ];
  const lines: [args: string[], stdin?: string][] = [
    [["--version"]],
    [["--help"]],
    [["tools"]],
    [["tools", "--json"]],
    [["search", "create a ticket"]],
    [["models"]],
    [release],
    [odd],
    [["call", "notes.nothing"]],
    [["call", "notes.search", "-"], '{"query": "certificate"}'],
    [["--nope 'x'\n"]],
    [["ask", "-q"], "What do my notes say about the release?"],
    [["serve-demo", "notes"], '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'],
  ];
  for (const [args, stdin] of lines) {
    const packed = await bare.run(file, args, { ...(stdin !== undefined && { stdin }) });
    assert.deepEqual(packed, await bare.fromSource(args, stdin), args.join(" "));
  }
});

test(
  "it starts from any folder, under any name, by a symbolic link and by its PATH",
  async (bare, file) => {
    const version = (await bare.run(file, ["--version"])).out;
    assert.match(version, /^fusebox \d/);
    const named = join(bare.home, "-my fuse 'box'.run");
    await Deno.copyFile(file, named);
    const link = join(bare.path, "fb");
    await Deno.symlink(named, link);
    const starts: [command: string, args: string[], cwd: string][] = [
      [named, [], "/"],
      [link, [], "/"],
      ["fb", [], "/"],
      ["./-my fuse 'box'.run", [], bare.home],
      ["/bin/sh", ["--", "-my fuse 'box'.run"], bare.home],
    ];
    for (const [command, args, cwd] of starts) {
      await Deno.remove(bare.programs, { recursive: true });
      for (const time of ["first", "second"]) {
        const { code, out, err } = await bare.run(command, [...args, "--version"], { cwd });
        assert.deepEqual([code, out, err], [0, version, ""], `${command}, ${time} start`);
      }
    }
  },
);

test("what lies above its cache does not concern it", async (bare, file) => {
  await bare.run(file, ["--version"]);
  for (const name of ["deno.json", "package.json", "deno.lock", "node_modules"]) {
    await Deno.writeTextFile(join(bare.home, name), "{ broken");
    await Deno.writeTextFile(join(bare.programs, name), "{ broken");
  }
  const { code, out, err } = await bare.run(file, ["call", "notes.search", "query=release"], {
    cwd: bare.home,
  });
  assert.equal(code, 0, err);
  assert.match(out, /Release checklist/);
});

test(
  "Deno's cache is its own, and servers find all as it was, also at the first start",
  async (bare, file) => {
    const told = join(bare.home, "told");
    // An exported variable of any name that the head uses must come through as it was.
    const env = { ...bare.env, DENO_DIR: "/theirs", file: "a", cache: "b", own: "c" };
    const server = {
      command: "/bin/sh",
      args: ["-c", '(export -p; umask) >"$0"; exec "$@"', told, file, "serve-demo", "notes"],
      inheritEnv: true,
    };
    const config = join(bare.home, "config.json");
    await Deno.writeTextFile(config, JSON.stringify({ servers: { notes: server } }));
    const args = ["call", "notes.search", "query=release", "-c", config];
    const { code, err } = await bare.run(file, args, { env });
    assert.equal(code, 0, err);
    const text = await Deno.readTextFile(told);
    assert.match(text, /DENO_DIR='?\/theirs'?\n/);
    assert.match(text, / file='?a'?\n/);
    assert.doesNotMatch(text, /FUSEBOX_|_fb_|DENO_NO_/);
    assert.equal(parseInt(text.trimEnd().split("\n").at(-1)!, 8), Deno.umask());
    const own = (await bare.unpacked())[0]!;
    assert((await Deno.stat(join(bare.programs, own, ".deno"))).isDirectory);
    await assert.rejects(Deno.stat(join(bare.home, ".cache", "deno")), Deno.errors.NotFound);
  },
);

test("it is one process, and a signal ends it as from source", async (bare, file) => {
  await bare.run(file, ["--version"]);
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    // A server that never says a word, and never leaves: one that left could end the run before the signal.
    const child = bare.start(file, [
      "tools",
      "--server",
      "mute=/bin/sh -c 'echo up >&2; while read x; do :; done'",
      "-v",
    ]);
    const reader = child.stderr.getReader();
    let heard = "";
    while (!heard.includes("up")) {
      const { value, done } = await reader.read();
      assert(!done, `it ended before the server was up:\n${heard}`);
      heard += new TextDecoder().decode(value);
    }
    child.kill(signal);
    assert.equal((await child.status).code, code, signal);
    await reader.cancel();
    await child.stdout.cancel();
  }
});

test("first starts at once are all served, by one that is kept", async (bare, file) => {
  const all = await Promise.all(
    Array.from({ length: 4 }, () => bare.run(file, ["call", "notes.search", "query=release"])),
  );
  assert.deepEqual(all.map(({ code }) => code), [0, 0, 0, 0], all.map(({ err }) => err).join("\n"));
  const unpacked = await bare.unpacked();
  assert.equal(unpacked.length, 1, unpacked.join(", "));
  assert.match(unpacked[0]!, /^[0-9a-f]{16}$/);
});

test(
  "what is missing, touched or cut off among the unpacked is unpacked anew",
  async (bare, file) => {
    const { out } = await bare.run(file, ["--version"]);
    const own = join(bare.programs, (await bare.unpacked())[0]!);
    const chunk = (await Array.fromAsync(Deno.readDir(own), ({ name }) => name))
      .find((name) => name.startsWith("call-"))!;
    const size = (await Deno.stat(join(own, "deno"))).size;
    // A file is touched later than its neighbours were written, by a clock that may be coarse.
    const touch = (path: string) => Deno.utime(path, new Date(), new Date(Date.now() + 2_000));
    const damages: Record<string, () => Promise<unknown>> = {
      missing: () => Deno.remove(join(own, chunk)),
      unmarked: () => Deno.remove(join(own, "whole")),
      "cut off": async () => {
        await Deno.truncate(join(own, "deno"), size / 2);
        await touch(join(own, "deno"));
      },
      overwritten: async () => {
        await Deno.writeTextFile(join(own, "main.mjs"), "Deno.exit(3);");
        await touch(join(own, "main.mjs"));
      },
      "not executable": () => Deno.chmod(join(own, "deno"), 0o600),
    };
    for (const [what, damage] of Object.entries(damages)) {
      await damage();
      const again = await bare.run(file, ["--version"]);
      assert.deepEqual(again, { code: 0, out, err: "" }, what);
      assert.equal((await Deno.stat(join(own, "deno"))).size, size, what);
      assert.deepEqual((await bare.unpacked()).length, 1, what);
    }
  },
);

test(
  "a file that is cut off or spoilt on its way says so, and leaves nothing",
  async (bare, file) => {
    const bytes = await Deno.readFile(file);
    const bad = join(bare.home, "bad");
    const spoilt = (at: number) => bytes.with(at, bytes[at]! ^ 0xff);
    const middle = Math.floor(bytes.length / 2);
    // The last eight bytes are the sum and the size: everything could be unpacked before they are read.
    for (const each of [bytes.subarray(0, middle), spoilt(middle), spoilt(bytes.length - 6)]) {
      await Deno.writeFile(bad, each, { mode: 0o755 });
      const { code, out, err } = await bare.run(bad, ["--version"]);
      assert.deepEqual([code, out], [74, ""]);
      assert.equal(err, `fusebox: Cannot unpack: ${bad} is damaged\n  Download it again\n`);
      assert.deepEqual(await bare.unpacked(), []);
    }
  },
);

test("what a shell reads from elsewhere says that it wants a path", async (bare, file) => {
  const { code, out, err } = await bare.run("/bin/sh", ["-c", '. "$1"', "sh", file]);
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /^fusebox: Cannot unpack: .* can't find it\n {2}Start it by its path, .*\n$/);
  await assert.rejects(bare.unpacked(), Deno.errors.NotFound);
});

testWhere(
  ROOT_USER,
  "only root gives files away",
  "what others left in a cache that they may write to is not started",
  async () => {
    await using bare = await Bare.make();
    const file = await portable();
    const cache = join(bare.home, "shared");
    const ours = join(cache, "fusebox");
    const env = { ...bare.env, XDG_CACHE_HOME: cache };
    const start = async (why: RegExp) => {
      const { code, out, err } = await bare.run(file, ["--version"], { env });
      assert.match(code === 0 ? out : err, why);
      assert.equal(code, code === 0 ? 0 : 74);
    };
    await start(/^fusebox \d/);
    const NOBODY = 65534;
    const theirs =
      /^fusebox: Cannot start from .*\/shared\/fusebox: it is somebody else's\n {2}XDG_/;
    const own = join(
      ours,
      "program",
      (await Array.fromAsync(Deno.readDir(join(ours, "program"))))[0]!.name,
    );
    for (const path of [own, join(ours, "program"), ours]) {
      await Deno.chown(path, NOBODY, NOBODY);
      await start(theirs);
      await Deno.chown(path, 0, 0);
    }
    await start(/^fusebox \d/);
    await Deno.rename(ours, join(bare.home, "linked"));
    await Deno.symlink(join(bare.home, "linked"), ours);
    await start(/^fusebox \d/);
    await Deno.chown(cache, NOBODY, NOBODY);
    await start(theirs);
  },
);

test(
  "where it can't unpack itself it says why, and what names another folder",
  async (bare, file) => {
    const nowhere = await bare.run(file, ["--version"], { env: { PATH: bare.path } });
    assert.deepEqual([nowhere.code, nowhere.out], [2, ""]);
    assert.match(nowhere.err, /^fusebox: Cannot unpack: HOME is not set\n {2}XDG_CACHE_HOME=/);

    const occupied = join(bare.home, "occupied");
    await Deno.writeTextFile(occupied, "");
    const taken = await bare.run(file, ["--version"], {
      env: { ...bare.env, XDG_CACHE_HOME: occupied },
    });
    assert.deepEqual([taken.code, taken.out], [74, ""]);
    assert.match(
      taken.err,
      /^fusebox: Cannot unpack to .*\/occupied\/fusebox: Not a directory\n.*; XDG_CACHE_HOME names another\n$/,
    );

    const moved = join(bare.home, "elsewhere");
    const env = { PATH: bare.path, XDG_CACHE_HOME: moved };
    assert.equal((await bare.run(file, ["--version"], { env })).code, 0);
    assert.equal(
      (await bare.run(file, ["call", "notes.search", "query=release"], { env })).code,
      0,
    );
  },
);

/** What happens in a cache that is a file system mounted so. */
async function mounted(bare: Bare, file: string, options: string, then = ":") {
  const cache = join(bare.home, "mounted");
  await Deno.mkdir(cache, { recursive: true });
  const script = 'mount -t tmpfs -o "$1" none "$2"; "$3" --version && eval "$4" && "$3" --version';
  return await bare.run("/usr/bin/unshare", [
    "-m",
    "sh",
    "-c",
    script,
    "sh",
    options,
    cache,
    file,
    then,
  ], {
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", XDG_CACHE_HOME: cache, HOME: bare.home },
  });
}

testWhere(
  ROOT_USER,
  "only root mounts file systems",
  "a full disk, a read-only and a noexec cache are one sentence each",
  async () => {
    await using bare = await Bare.make();
    const file = await portable();
    for (
      const [options, why] of [
        ["size=20m", /Cannot unpack to .*\/mounted\/fusebox: No space left on device/],
        ["ro", /Cannot unpack to .*\/mounted\/fusebox: Read-only file system/],
        ["noexec", /Cannot start from .*\/mounted\/fusebox: Permission denied/],
      ] as const
    ) {
      const { code, out, err } = await mounted(bare, file, options);
      assert.deepEqual([code, out], [74, ""], err);
      assert.match(err, why);
      assert.match(err, /^[^\n]+\n {2}It takes \d+ MB .*; XDG_CACHE_HOME names another\n$/);
    }
    const again = await mounted(bare, file, "size=1g", 'mount -o remount,ro "$2"');
    assert.equal(again.code, 0, again.err);
    assert.equal(again.err, "", "what was unpacked once runs from a read-only cache");
  },
);

test(
  "what was used last, and the version before it, stay; older ones and remains go",
  async (bare, file) => {
    const past = (days: number) => new Date(Date.now() - days * 86_400_000);
    for (
      const [name, days] of [["aaaaaaaaaaaaaaaa", 3], ["bbbbbbbbbbbbbbbb", 1], [
        "cccccccccccccccc",
        2,
      ]] as const
    ) {
      const mark = join(bare.programs, name, "whole");
      await Deno.mkdir(join(mark, ".."), { recursive: true });
      await Deno.writeTextFile(mark, "");
      await Deno.utime(mark, past(days), past(days));
    }
    for (const [name, days] of [[".new.killed", 1], [".new.atwork", 0]] as const) {
      await Deno.mkdir(join(bare.programs, name));
      await Deno.utime(join(bare.programs, name), past(days), past(days));
    }
    assert.equal((await bare.run(file, ["--version"])).code, 0);
    const left = await bare.unpacked();
    assert.equal(left.length, 3, left.join(", "));
    assert(left.includes("bbbbbbbbbbbbbbbb") && left.includes(".new.atwork"), left.join(", "));
    // A start is a use.
    const own = left.find((name) => name !== "bbbbbbbbbbbbbbbb" && !name.startsWith("."))!;
    const mark = join(bare.programs, own, "whole");
    await Deno.utime(mark, past(5), past(5));
    for (const part of ["deno", "main.mjs"]) {
      await Deno.utime(
        join(bare.programs, own, part),
        past(6),
        past(6),
      );
    }
    await bare.run(file, ["--version"]);
    assert((await Deno.stat(mark)).mtime! > past(1));
  },
);

test(
  "ask uses an npm server, started by an absolute path, in all three modes",
  async (bare, file) => {
    await using place = await newPlace();
    const stranger = STRANGERS.find(({ alias }) => alias === "everything")!;
    const { command, args, env } = programOf(stranger, place);
    assert(command.startsWith("/"));
    const servers = {
      everything: { command, args, env: { ...env, DENO_DIR: await denoDir() } },
      notes: { command: "fusebox", args: ["serve-demo", "notes"] },
    };
    const config = join(bare.home, "config.json");
    await Deno.writeTextFile(
      config,
      JSON.stringify({ limits: { handshake: "60s", start: "60s" }, servers }),
    );
    const name = "mcp__everything__get-sum";
    const sum = { name, args: { a: 19, b: 23 } };
    const attach = { name: "attach_server", args: { server: "everything" } };
    const inner = { name: "mcp", args: { action: "call", name, args: sum.args } };
    const scripts = { full: [sum], lazy: [attach, sum], forward: [inner] };
    for (const [mode, uses] of Object.entries(scripts)) {
      const script = join(bare.home, `${mode}.jsonl`);
      const lines = [...uses.map((use) => ({ uses: [use] })), { text: "done" }];
      await Deno.writeTextFile(script, lines.map((line) => JSON.stringify(line)).join("\n"));
      const flags = ["--mode", mode, "--yes", "--json", "-m", `script:${script}`, "-c", config];
      const { code, out, err } = await bare.run(file, ["ask", "go", ...flags]);
      assert.equal(code, 0, err);
      const { answer, calls } = JSON.parse(out);
      assert.equal(answer, "done");
      assert.equal(calls.at(-1).tool, "get-sum", mode);
      assert.deepEqual(
        calls.map((call: { isError: boolean }) => call.isError),
        uses.map(() => false),
      );
    }
  },
);

test(
  "--version takes at most 1.6 times as long as an empty script under Deno",
  async (bare, file) => {
    const script = join(bare.home, "empty.js");
    await Deno.writeTextFile(script, "");
    const env = { ...bare.env, DENO_NO_UPDATE_CHECK: "1" };
    const run = async (command: string, args: string[]) => {
      assert.equal((await bare.run(command, args, { env })).code, 0);
    };
    // The fastest of many, and of more where that is not enough: whatever else runs here makes both
    // slower, and not alike.
    const fastest = { empty: Infinity, version: Infinity };
    const timed = async (name: keyof typeof fastest, work: () => Promise<void>) => {
      const began = performance.now();
      await work();
      fastest[name] = Math.min(fastest[name], performance.now() - began);
    };
    const ratio = () => fastest.version / fastest.empty;
    for (let round = 0; round < 25 || (ratio() > 1.6 && round < 200); round++) {
      await timed(
        "empty",
        () => run(Deno.execPath(), ["run", "-A", "--no-config", "--quiet", script]),
      );
      await timed("version", () => run(file, ["--version"]));
    }
    assert(ratio() <= 1.6, `it takes ${ratio().toFixed(2)} times as long`);
  },
);

testWhere(
  LINUX,
  "nowhere else is there a /proc",
  "a call of one tool takes 60 MB of memory at most",
  async () => {
    await using bare = await Bare.make();
    const file = await portable();
    const told = join(bare.home, "told");
    // A server that, once it is let go, writes down the peak of whoever started it; in no hurry.
    const script =
      'trap "" TERM; "$@"; while read -r name size rest; do [ "$name" != VmHWM: ] || echo "$size" >"$0"; done </proc/$PPID/status';
    const config = join(bare.home, "config.json");
    const server = { command: "/bin/sh", args: ["-c", script, told, file, "serve-demo", "notes"] };
    await Deno.writeTextFile(config, JSON.stringify({ servers: { notes: server } }));
    // The least of three: the very first start makes Deno's code cache, too, and takes ten more for that once.
    let least = Infinity;
    for (let round = 0; round < 3; round++) {
      const args = ["call", "notes.search", "query=release", "-c", config];
      const { code, err } = await bare.run(file, args);
      assert.equal(code, 0, err);
      await eventually(() => {
        const size = Number(Deno.readTextFileSync(told));
        return size > 20_000 ? undefined : "nothing was told";
      });
      least = Math.min(least, Number(await Deno.readTextFile(told)) / 1024);
      await Deno.remove(told);
    }
    assert(least <= 60, `${least.toFixed(1)} MB`);
  },
);

function hasShellcheck(): boolean {
  try {
    return new Deno.Command("shellcheck", { args: ["--version"], stdout: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
}

testWhere(
  POSIX && hasShellcheck(),
  "no shellcheck here",
  "shellcheck finds nothing in its head",
  async () => {
    const folder = await Deno.makeTempDir();
    await Deno.writeTextFile(`${folder}/head.sh`, await headOf(await portable()));
    const { stdout } = await new Deno.Command("shellcheck", { args: [`${folder}/head.sh`] })
      .output();
    assert.equal(new TextDecoder().decode(stdout), "");
    await Deno.remove(folder, { recursive: true });
  },
);
