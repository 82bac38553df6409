/** Ends of a life that `signals_test.ts` does not hold: wrappers, crashes of ours, pipes that nobody reads. @module */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  demo,
  eventually,
  flaky,
  FUSEBOX,
  POSIX,
  posixTest,
  quoted,
  type Run,
  type Sandbox,
  sandbox,
  sideBySide,
  testWhere,
} from "../support/cli.ts";
import { gone } from "../support/processes.ts";

interface Program {
  command: string;
  args: string[];
}

const STUBBORN = ["deaf", "deaf-grandchild"];
const BUSY = ["call", "flaky.slow", "ms=60000", "every=50", "-v"];
const PROMPT = "What do my notes say about Lisbon?";

/** How people start servers: never by itself. */
const WRAPPERS: Readonly<Record<string, (server: string) => Program>> = {
  // In the background a shell takes stdin away, so it is handed on by another number.
  "sh -c 'server & wait'": (server) => sh(`exec 3<&0; ${server} <&3 3<&- & wait`),
  "a shell in a shell": (server) => sh(`${quoted(["sh", "-c", `${server}; exit $?`])}; exit $?`),
  "a shell that ends when its stdin does": (server) =>
    sh(`mkfifo "$HOME/in$$"; ${server} <"$HOME/in$$" & cat >"$HOME/in$$"`),
};

function sh(script: string): Program {
  return { command: "sh", args: ["-c", script] };
}

function lineOf({ command, args }: Program): string {
  return quoted([command, ...args]);
}

/** Breaks fusebox from within, in the way that a signal chooses. */
const SABOTAGE = `
const bug = () => { throw new TypeError("planted"); };
Deno.addSignalListener("SIGUSR1", () => void Promise.reject(new TypeError("planted")));
Deno.addSignalListener("SIGUSR2", () => void setTimeout(bug));
Deno.addSignalListener("SIGCONT", () => performance.now = bug);
`;
const CRASHES: Readonly<Record<string, Deno.Signal>> = {
  "a promise that nobody caught": "SIGUSR1",
  "an error in a timer": "SIGUSR2",
  "an error in what hears a server": "SIGCONT",
};

/** The command line of a fusebox that can be broken. */
async function breakable(box: Sandbox): Promise<string[]> {
  const preload = await box.file("sabotage.js", SABOTAGE);
  return [...FUSEBOX.slice(0, -1), "--preload", preload, FUSEBOX.at(-1)!];
}

/** Starts one to be broken. */
async function broken(box: Sandbox, args: readonly string[], config: object): Promise<Run> {
  const file = await box.file("fusebox.json", config);
  return box.spawn([...await breakable(box), "-c", file, ...args]);
}

/** Sends a signal to a program once one of its outputs is a full pipe that nobody reads; its exit code. */
async function unread(
  box: Sandbox,
  [command, ...args]: readonly string[],
  stream: "stdout" | "stderr",
  signal: Deno.Signal,
  ready?: () => Promise<void>,
): Promise<number> {
  const child = new Deno.Command(command!, {
    args,
    cwd: box.home,
    clearEnv: true,
    env: box.env,
    stdin: "null",
    stdout: "null",
    stderr: "null",
    [stream]: "piped",
    detached: true, // It has no terminal.
  }).spawn();
  const reader = child[stream].getReader();
  try {
    // There is a beginning, there is far more than a pipe holds, and from now on nobody reads.
    assert((await reader.read()).value);
    await ready?.();
    const living = await box.living();
    child.kill(signal);
    await gone(living);
    return (await child.status).code;
  } finally {
    if ((await box.living()).includes(child.pid)) child.kill("SIGKILL");
    await reader.cancel();
    await child.status;
  }
}

const CAN_BREAK = POSIX && Deno.env.get("FUSEBOX_BIN") === undefined;
const breakTest = (name: string, fn: () => Promise<void>) =>
  testWhere(CAN_BREAK, "nothing can be loaded into it", name, fn);

/** Sends the signal; all that runs in the sandbox is gone two seconds later. */
async function leave(box: Sandbox, run: Run, signal: Deno.Signal): Promise<number> {
  let living: number[] = [];
  // Who is just becoming another program has no environment to be known by.
  await eventually(async () => {
    living = await box.living();
    return living.includes(run.pid) && living.length > 1 ? undefined : "nobody else is there";
  });
  run.send(signal);
  await gone(living);
  await box.empty();
  return (await run.ended).code;
}

/** Where `tee` keeps what a server was told. */
function heardIn(box: Sandbox): string {
  return join(box.home, "heard");
}

/** Resolves once a tool was called. */
async function called(box: Sandbox): Promise<void> {
  await eventually(async () => {
    const text = await Deno.readTextFile(heardIn(box)).catch(() => "");
    return text.includes('"tools/call"') ? undefined : "the call was not sent";
  });
}

for (const [name, wrap] of Object.entries(WRAPPERS)) {
  posixTest(`a stubborn server behind ${name} is gone after any end`, async () => {
    const ends: (readonly [Deno.Signal, number] | undefined)[] = [
      undefined,
      ["SIGINT", 130],
      ["SIGTERM", 143],
      ["SIGHUP", 129],
    ];
    await sideBySide(ends, async (box, end) => {
      const config = { servers: { flaky: wrap(lineOf(flaky(...STUBBORN))) } };
      if (!end) {
        const { code, stdout, stderr } = await box.fusebox(["call", "flaky.echo", "n=1"], {
          config,
        });
        assert.deepEqual([code, stdout], [0, '{"n":1}\n'], stderr);
        return await box.empty();
      }
      const run = await box.start(BUSY, { config });
      await run.until("stderr", "50/60000");
      assert.equal(await leave(box, run, end[0]), end[1]);
    });
  });
}

for (const [crash, signal] of Object.entries(CRASHES)) {
  breakTest(`a stubborn server behind any wrapper is gone after ${crash} of ours`, async () => {
    await sideBySide(Object.values(WRAPPERS), async (box, wrap) => {
      const config = { servers: { flaky: wrap(lineOf(flaky(...STUBBORN))) } };
      const run = await broken(box, BUSY, config);
      await run.until("stderr", "50/60000");
      assert.equal(await leave(box, run, signal), 70, run.stderr);
      assert.match(run.stderr, /^fusebox: This is a bug in fusebox.*\nTypeError: planted/m);
      assert(!run.stderr.includes("Uncaught"), run.stderr);
    });
  });
}

breakTest("servers that are starting are gone after a crash of ours", async () => {
  await sideBySide(["SIGUSR1", "SIGUSR2"] as const, async (box, signal) => {
    const servers = {
      mute: flaky("mute", ...STUBBORN),
      flaky: flaky("mute", "deaf"),
      notes: demo("notes"),
    };
    const run = await broken(box, ["servers", "-v"], { servers });
    await run.until("stderr", "notes: online");
    // Each server, and the child of one.
    await eventually(async () => (await box.living()).length >= 5 ? undefined : "not all are here");
    assert.equal(await leave(box, run, signal), 70, run.stderr);
  });
});

const NPX = POSIX &&
  await new Deno.Command("npx", { args: ["--version"], stdout: "null", stderr: "null" }).output()
    .then(({ success }) => success, () => false);

testWhere(NPX, "no npx is here", "a stubborn server behind npx is gone after any end", async () => {
  const wrapped = { command: "npx", args: ["--offline", "-c", lineOf(flaky(...STUBBORN))] };
  await sideBySide(["end", "SIGINT", "SIGTERM"] as const, async (box, end) => {
    const config = { servers: { flaky: wrapped } };
    if (end === "end") {
      const { code, stderr } = await box.fusebox(["call", "flaky.echo"], { config });
      assert.equal(code, 0, stderr);
      return await box.empty();
    }
    const run = await box.start(BUSY, { config });
    await run.until("stderr", "50/60000");
    assert.equal(await leave(box, run, end), end === "SIGINT" ? 130 : 143);
  });
});

posixTest("a signal in the midst of a goodbye leaves nothing behind", async () => {
  await sideBySide(["SIGINT", "SIGTERM", "SIGHUP"] as const, async (box, signal) => {
    const config = { servers: { flaky: flaky(...STUBBORN) } };
    const run = await box.start(["call", "flaky.echo", "n=1"], { config });
    await run.until("stdout", '{"n":1}\n');
    // It leaves by itself: nothing that takes time may stand between the answer and the signal.
    run.send(signal);
    assert.equal((await run.ended).stderr, "");
    await box.empty();
  });
});

posixTest("a signal while nobody reads our answer leaves nothing behind", async () => {
  await sideBySide([["SIGINT", 130], ["SIGTERM", 143]] as const, async (box, [signal, code]) => {
    const servers = { flaky: flaky("huge-line=10000000", ...STUBBORN) };
    const config = await box.file("huge.json", { servers });
    const line = [...FUSEBOX, "-c", config, "call", "flaky.huge"];
    assert.equal(await unread(box, line, "stdout", signal), code);
    await box.empty();
  });
});

breakTest(
  "a signal or a crash of ours while nobody reads our stderr leaves nothing behind",
  async () => {
    const ends = [["SIGTERM", 143], ["SIGUSR1", 70], ["SIGUSR2", 70]] as const;
    await sideBySide(ends, async (box, [signal, code]) => {
      // Before it reads anything it has said a megabyte, which -v would show.
      const server = lineOf(flaky("hang", "stderr-flood=1000000", ...STUBBORN));
      const tapped = sh(`tee ${quoted([heardIn(box)])} | ${server}`);
      const config = await box.file("tapped.json", { servers: { tapped } });
      const line = [...await breakable(box), "-c", config, "call", "tapped.hang", "-v"];
      assert.equal(await unread(box, line, "stderr", signal, () => called(box)), code);
      await box.empty();
    });
  },
);

posixTest("an answer does not wait for who is still starting, and nobody stays", async () => {
  await using box = await sandbox();
  const servers = { mute: flaky("mute", ...STUBBORN) };
  const model = `script:${await box.file("turns.yaml", [{ text: "Done." }])}`;
  const limits = { start: "300ms", handshake: "5m" };
  const run = await box.fusebox(["Go", "-m", model], { config: { servers, limits } });
  assert.deepEqual([run.code, run.stdout], [0, "Done.\n"], run.stderr);
  await box.empty();
});

posixTest("a signal in the midst of the self-test leaves nothing behind", async () => {
  await using box = await sandbox();
  const server = `notes=${lineOf(flaky("mute", ...STUBBORN))}`;
  const run = await box.start(["selftest", "--server", server]);
  await eventually(async () => (await box.living()).length >= 3 ? undefined : "nobody is there");
  assert.equal(await leave(box, run, "SIGINT"), 130);
});

posixTest("a process that our probe killed takes its family with it", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: flaky("die-on-discover", "deaf-grandchild=quiet") } };
  const run = await box.start(BUSY, { config });
  await run.until("stderr", "50/60000");
  // fusebox, the second process, and its child and that one's; not what the first had.
  await eventually(async () => {
    const living = await box.living();
    return living.length <= 4 ? undefined : `${living.length} processes live`;
  }, 2_000);
  assert.equal(await leave(box, run, "SIGTERM"), 143);
});

posixTest("a server that floods both its pipes takes neither an answer nor the end", async () => {
  await using box = await sandbox();
  const servers = {
    notes: demo("notes"),
    flood: { ...sh("yes >&2 & exec yes"), limits: { handshake: "1s" } },
  };
  const { code, stdout, stderr } = await box.fusebox([PROMPT], { config: { servers } });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Lisbon won the vote/);
  await box.empty();
});

posixTest("a flood on stderr of a server holds up neither its calls nor a signal", async () => {
  await sideBySide([["SIGINT", 130], ["SIGTERM", 143]] as const, async (box, [signal, code]) => {
    const server = lineOf(flaky("hang", ...STUBBORN));
    const flood = sh(`yes >&2 & tee ${quoted([heardIn(box)])} | ${server}`);
    const run = await box.start(["call", "flaky.hang"], { config: { servers: { flaky: flood } } });
    await called(box);
    assert.equal(await leave(box, run, signal), code, run.stderr);
  });
});

posixTest("a server that is nothing but a flood holds up no signal", async () => {
  const floods = ["exec yes", "exec yes >&2", "yes >&2 & exec yes", "exec cat /dev/zero"];
  // One at a time: each of them takes a processor.
  for (const script of floods) {
    await using box = await sandbox();
    const run = await box.start(["servers"], { config: { servers: { flood: sh(script) } } });
    assert.equal(await leave(box, run, "SIGTERM"), 143, run.stderr);
  }
});

posixTest("a home full of wrappers is left as it was found", async () => {
  await using box = await sandbox();
  const servers = Object.fromEntries(
    Object.values(WRAPPERS).map((wrap, n) => [`s${n}`, wrap(lineOf(flaky("grandchild")))]),
  );
  const { code, stderr } = await box.fusebox(["tools", "-q"], { config: { servers } });
  assert.deepEqual([code, stderr], [0, ""]);
  await box.empty();
  await assert.rejects(Deno.stat(join(box.home, "core")));
});
