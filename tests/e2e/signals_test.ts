/** How fusebox leaves: by a signal, by an end, by an error, and always with everything it started. @module */
import assert from "node:assert/strict";
import {
  demo,
  eventually,
  flaky,
  FUSEBOX,
  posixTest,
  quoted,
  type Result,
  type Run,
  type Sandbox,
  sandbox,
  sideBySide,
  testWhere,
} from "../support/cli.ts";
import { gone, GOODBYE_MS } from "../support/processes.ts";
import { terminal, terminalTest } from "../support/pty.ts";
import { lasting, within } from "../support/time.ts";

const LINUX = Deno.build.os === "linux";
/** With their exit codes; without SIGHUP where the tests themselves run under nohup. */
const SIGNALS = ([["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const)
  .filter(([, code]) => !LINUX || !masked("self", "SigIgn", code - 128));
/** Ignores all that can be ignored, and so does its child. */
const STUBBORN = ["deaf", "deaf-grandchild"];
const PROMPT = "What do my notes say about Lisbon?";

/** A server whose input is written to `wire` as it comes, behind a shell that ignores SIGTERM too. */
function tapped(box: Sandbox, ...faults: string[]): { command: string; args: string[] } {
  const { command, args } = flaky(...faults);
  const script = `trap '' TERM INT HUP; tee ${quoted([`${box.home}/wire`])} | ${
    quoted([command, ...args])
  }`;
  return { command: "sh", args: ["-c", script] };
}

/** Resolves once a message with this method was sent, with its parameters. */
async function sent(box: Sandbox, method: string): Promise<Record<string, unknown>> {
  let found: { params: Record<string, unknown> } | undefined;
  await eventually(async () => {
    const text = await Deno.readTextFile(`${box.home}/wire`).catch(() => "");
    const lines = text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
    found = lines.find((line) => line.method === method);
    return found ? undefined : `${method} was not sent:\n${text}`;
  });
  return found!.params;
}

/** Sends the signal; everything that runs in the sandbox is gone two seconds later. */
async function leave(box: Sandbox, run: Run, signal: Deno.Signal): Promise<Result> {
  const living = await box.living();
  assert(living.includes(run.pid));
  run.send(signal);
  await gone(living);
  await box.empty();
  return await run.ended;
}

/** It left with this code, and without a word. */
function left({ code, signal, stdout, stderr }: Result, wanted: number): void {
  assert.deepEqual([code, signal, stdout, stderr], [wanted, null, "", ""]);
}

posixTest(
  "a signal in a call of a stubborn server cancels it and leaves nothing behind",
  async () => {
    await sideBySide(SIGNALS, async (box, [signal, code]) => {
      const config = { servers: { flaky: tapped(box, "hang", ...STUBBORN) } };
      const run = await box.start(["call", "flaky.hang"], { config });
      await sent(box, "tools/call");
      left(await leave(box, run, signal), code);
      const { reason } = await sent(box, "notifications/cancelled");
      assert.match(String(reason), new RegExp(signal));
    });
  },
);

posixTest("a signal in a run of the loop leaves nothing behind", async () => {
  await sideBySide(SIGNALS, async (box, [signal, code]) => {
    const turns = [{ uses: [{ name: "mcp__flaky__hang", args: {} }] }, { text: "Done." }];
    const model = `script:${await box.file("turns.yaml", turns)}`;
    const servers = { flaky: tapped(box, "hang", ...STUBBORN), notes: demo("notes") };
    const args = ["Go", "-m", model, "--yes", "-q"];
    const run = await box.start(args, { config: { servers } });
    await sent(box, "tools/call");
    left(await leave(box, run, signal), code);
    await sent(box, "notifications/cancelled");
  });
});

posixTest("a signal while a mute and stubborn server starts leaves nothing behind", async () => {
  const commands = [["Go", "-m", "offline"], ["servers"], ["tools"], ["call", "flaky.x"]];
  const cases = [
    ...SIGNALS.map((signal) => [...signal, commands[0]!] as const),
    ...commands.slice(1).map((args) => [...SIGNALS[0]!, args] as const),
  ];
  await sideBySide(cases, async (box, [signal, code, args]) => {
    const config = { servers: { flaky: tapped(box, "mute", ...STUBBORN) } };
    const run = await box.start(args, { config });
    await sent(box, "server/discover");
    left(await leave(box, run, signal), code);
  });
});

posixTest("a signal while stdin is read leaves nothing behind", async () => {
  await sideBySide(SIGNALS, async (box, [signal, code]) => {
    const config = { servers: { flaky: flaky(...STUBBORN) } };
    const run = await box.start(["call", "flaky.echo", "-", "-v"], { config, stdin: "open" });
    await run.until("stderr", "flaky: online");
    const result = await leave(box, run, signal);
    assert.deepEqual([result.code, result.stdout], [code, ""]);
  });
});

posixTest("Ctrl-C while the prompt is awaited on stdin leaves at once", async () => {
  await using box = await sandbox();
  for (let attempt = 1;; attempt++) {
    const run = await box.start([], { stdin: "open" });
    run.write("What do my");
    await eventually(() =>
      !LINUX || masked(run.pid, "SigCgt", 2) ? undefined : "it listens to none"
    );
    run.send("SIGINT");
    const result = await run.ended;
    // Before it listens it just dies, which is fine too but proves nothing: the mask comes first.
    if (result.signal === "SIGINT" && attempt < 5) continue;
    return left(result, 130);
  }
});

posixTest("a second Ctrl-C does not wait for a goodbye", async () => {
  await within(400, async () => {
    await using box = await sandbox();
    const config = { servers: { flaky: tapped(box, "hang", ...STUBBORN) } };
    const run = await box.start(["call", "flaky.hang"], { config });
    await sent(box, "tools/call");
    run.send("SIGINT");
    await sent(box, "notifications/cancelled");
    const ms = await lasting(async () => {
      run.send("SIGINT");
      left(await run.ended, 130);
    });
    await box.empty();
    return ms;
  });
});

posixTest("a run that ends well or badly leaves nothing behind", async () => {
  const servers = { flaky: flaky(...STUBBORN), notes: demo("notes") };
  const ghost = { command: "/nonexistent", required: true };
  const cases: [string[], number, object?][] = [
    [["call", "flaky.echo"], 0],
    [["call", "flaky.fail"], 1],
    [["call", "flaky.nothing"], 2],
    [["servers"], 0],
    [[PROMPT], 0],
    [["Go", "-m", "script:/dev/null"], 5],
    [[PROMPT], 4, { ghost }],
  ];
  await sideBySide(cases, async (box, [args, code, more]) => {
    const result = await box.fusebox(args, { config: { servers: { ...servers, ...more } } });
    assert.equal(result.code, code, result.stderr);
    await box.empty();
  });
});

posixTest("a run whose output fails leaves nothing behind", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: flaky(...STUBBORN) } };
  const run = await box.start(["call", "flaky.echo", "-v"], { config });
  await run.stopReading("stdout");
  assert.equal((await run.ended).code, 0);
  await box.empty();
});

posixTest("when fusebox itself is killed, servers that listen to their stdin leave", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: flaky("hang"), notes: demo("notes") } };
  const run = await box.start(["call", "flaky.hang", "-v"], { config });
  await run.until("stderr", "flaky: online");
  run.send("SIGKILL");
  await run.ended;
  await box.empty();
});

posixTest("the answer is out before a deaf server has left", async () => {
  const { command, args } = flaky(...STUBBORN);
  // A server keeps what stood on stdout when it was sent SIGTERM: half a second into the goodbye.
  const script = `trap 'cp "$HOME/out" "$HOME/seen"' TERM; exec 3<&0; ` +
    `${quoted([command, ...args])} <&3 3<&- & wait; wait`;
  const servers = { flaky: { command: "sh", args: ["-c", script] }, notes: demo("notes") };
  const cases: [string[], string][] = [
    [[PROMPT], "Lisbon won the vote"],
    [["call", "flaky.echo", "n=1"], '{"n":1}\n'],
    [["servers"], "notes"],
    [["tools"], "flaky.echo"],
  ];
  await sideBySide(cases, async (box, [args, answer]) => {
    const line = [...FUSEBOX, "-c", await box.file("deaf.json", { servers }), ...args];
    const run = box.spawn(["sh", "-c", `exec ${quoted(line)} >out`]);
    const { code, stderr } = await run.ended;
    assert.equal(code, 0, stderr);
    const [seen, out] = await Promise.all(
      ["seen", "out"].map((name) => Deno.readTextFile(`${box.home}/${name}`)),
    );
    assert(seen!.includes(answer), `the answer was not out: "${seen}"`);
    assert.equal(seen, out);
    await box.empty();
  });
});

posixTest("goodbyes are said side by side, not one after the other", async () => {
  await within(GOODBYE_MS, async () => {
    await using box = await sandbox();
    const names = ["a", "b", "c", "d"];
    const servers = Object.fromEntries(names.map((name) => [name, flaky("deaf")]));
    const run = await box.start(["servers"], { config: { servers } });
    await run.until("stdout", "d ");
    return await lasting(() => run.ended);
  });
});

posixTest("a server that leaves when asked to is not waited for", async () => {
  await within(450, async () => {
    await using box = await sandbox();
    const run = await box.start(["call", "notes.search", "query=Lisbon"]);
    await run.until("stdout", "Lisbon");
    return await lasting(() => run.ended);
  });
});

posixTest("Ctrl-C in one run does not touch another", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: tapped(box, "hang", ...STUBBORN) } };
  const stopped = await box.start(["call", "flaky.hang"], { config });
  await sent(box, "tools/call");
  const other = await box.start(["call", "flaky.slow", "ms=1200", "-v"], {
    config: { servers: { flaky: flaky() } },
  });
  await other.until("stderr", "flaky: online");
  stopped.send("SIGINT");
  assert.equal((await stopped.ended).code, 130);
  const { code, stdout } = await other.ended;
  assert.deepEqual([code, stdout], [0, "Slept 1200 ms.\n"]);
});

posixTest("a grandchild that a well-behaved server leaves behind goes with it", async () => {
  const faults = ["grandchild", "grandchild=quiet", "deaf-grandchild=quiet"];
  await sideBySide(faults, async (box, fault) => {
    const config = { servers: { flaky: flaky(fault) } };
    const run = await box.fusebox(["call", "flaky.pid"], { config });
    assert.equal(run.code, 0, run.stderr);
    await box.empty();
  });
});

posixTest("a grandchild of a server that died in mid-call goes with it", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: flaky("die-on-call", "deaf-grandchild") } };
  const run = await box.fusebox(["call", "flaky.echo"], { config });
  assert.equal(run.code, 4);
  await box.empty();
});

testWhere(
  LINUX,
  "what was ignored before can't be seen here",
  "a hangup that was to be ignored is ignored: nohup works",
  async () => {
    await using box = await sandbox();
    const { command, args } = flaky();
    const server = `flaky=${[command, ...args].join(" ")}`;
    const line = [...FUSEBOX, "--server", server, "call", "flaky.slow", "ms=600", "-v"];
    const run = box.spawn(["sh", "-c", `trap '' HUP; exec ${quoted(line)}`]);
    await run.until("stderr", "flaky: online");
    run.send("SIGHUP");
    const { code, stdout } = await run.ended;
    assert.deepEqual([code, stdout], [0, "Slept 600 ms.\n"]);
  },
);

terminalTest("a window that is closed takes everything with it", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: tapped(box, "hang", ...STUBBORN) } };
  await using person = await terminal(box, ["call", "flaky.hang"], { config });
  await sent(box, "tools/call");
  person.close();
  await box.empty();
});

terminalTest("Ctrl-C on a terminal reaches fusebox, and through it the servers", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: tapped(box, "hang", ...STUBBORN) } };
  await using person = await terminal(box, ["call", "flaky.hang"], { config });
  await sent(box, "tools/call");
  person.type("\x03");
  assert.equal((await person.leaves()).code, 130);
  await sent(box, "notifications/cancelled");
  await box.empty();
});

/** Whether a signal is in one of the masks of a process: those that it catches, those that it ignores. */
function masked(pid: number | "self", mask: "SigCgt" | "SigIgn", signal: number): boolean {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const bits = BigInt(`0x${new RegExp(`^${mask}:\\s*([0-9a-f]+)$`, "m").exec(status)![1]}`);
  return (bits >> BigInt(signal - 1) & 1n) === 1n;
}
