import assert from "node:assert/strict";
import { TransportError } from "../../lib/protocol/errors.ts";
import { realClock } from "../../lib/cli/world.ts";
import type { Ending } from "../../lib/transport/process.ts";
import { pipeTransport, stdioTransport } from "../../lib/transport/stdio.ts";
import { client, PATIENCE } from "../support/clients.ts";
import { FakeClock, settle } from "../support/clock.ts";
import { executable } from "../support/executable.ts";
import { shell } from "../support/wild.ts";
import { command, ERAS, opener, program } from "../support/wire.ts";
import { alive, gone } from "../support/processes.ts";

const start = (command: string, cwd?: string) =>
  stdioTransport({ command, args: [], env: {}, clock: realClock, ...(cwd && { cwd }) });

/** What the system says of a file that is no program; Windows looks at what is in it. */
const NO_PROGRAM = Deno.build.os === "windows"
  ? /can't be run: ./
  : /can't be run: Permission denied/;

Deno.test("stdioTransport() says which command it could not start, and why", () => {
  const cases: [() => unknown, string, RegExp][] = [
    [() => start("/nonexistent"), "spawn_not_found", /no such command "\/nonexistent"/],
    [() => start("no-such-command-here"), "spawn_not_found", /no such command "no-such/],
    [() => start("node server.js"), "spawn_not_found", /"node server.js" \(write its arguments un/],
    [() => start("$HOME/bin/x"), "spawn_not_found", /x" \(write the variable as \$\{HOME\}\)$/],
    [() => start("%HOME%\\x"), "spawn_not_found", /x" \(write the variable as \$\{HOME\}\)$/],
    [() => start(Deno.execPath(), "/no/such/folder"), "spawn_not_found", /no such folder/],
    [() => start(Deno.execPath(), import.meta.filename!), "spawn_not_found", /no such folder/],
    [() => start(import.meta.filename!), "spawn_denied", NO_PROGRAM],
  ];
  for (const [open, fault, why] of cases) {
    assert.throws(
      open,
      (error) =>
        error instanceof TransportError && error.fault === fault && why.test(error.message),
      fault,
    );
  }
});

Deno.test("stdioTransport() says when it is the interpreter of a script that is missing", {
  ignore: Deno.build.os === "windows", // No #! there.
}, async () => {
  const path = await executable(await Deno.makeTempFile(), "#!/no/such/interpreter\n");
  try {
    assert.throws(() => start(path), /names an interpreter that is not there/);
  } finally {
    await Deno.remove(path);
  }
});

for (const era of ERAS) {
  for (
    const fault of ["crlf", "blank-lines", "noise", "batch-lines", "drip", "invalid-utf8", "banner"]
  ) {
    Deno.test(`stdioTransport() reads a ${era} server through ${fault}`, async () => {
      await using peer = await client(opener("stdio", [fault], { era }));
      const calls = [1, 2, 3].map((n) =>
        peer.callTool("echo", { n, text: "grüße 👋 漢字" }, PATIENCE)
      );
      const results = await Promise.all(calls);
      assert.deepEqual(
        results.map(({ structuredContent }) => structuredContent),
        [1, 2, 3].map((n) => ({ n, text: "grüße 👋 漢字" })),
      );
    });
  }
}

Deno.test("a line over the cap fails the call it answers, and no other", async () => {
  const open = opener("stdio", ["huge-line=3000000"], { lineCapBytes: 1_000_000 });
  await using peer = await client(open);
  const huge = assert.rejects(
    peer.callTool("huge", {}, PATIENCE),
    (error) =>
      error instanceof TransportError && error.fault === "garbled" &&
      /one line of 2\.9 MiB, over the cap of 1\.0 MiB/.test(error.message),
  );
  const echo = await peer.callTool("echo", { a: 1 }, PATIENCE);
  assert.deepEqual(echo.structuredContent, { a: 1 });
  await huge;
  assert.equal((await peer.callTool("echo", {}, PATIENCE)).isError, false);
});

Deno.test("an answer that nobody can read fails its call at once, and no other", async () => {
  await using peer = await client(opener("stdio", ["nan", "deep-result=600000"]));
  const nobody = (error: unknown) =>
    error instanceof TransportError && error.fault === "garbled" &&
    /no JSON that can be read/.test(error.message);
  const unread = ["echo", "deep"].map((tool) =>
    assert.rejects(peer.callTool(tool, {}, PATIENCE), nobody, tool)
  );
  assert.equal((await peer.callTool("pid", {}, PATIENCE)).isError, false);
  await Promise.all(unread);
});

Deno.test("a reply of 10 MB comes through whole", async () => {
  await using peer = await client(opener("stdio", ["huge-line=10000000"]));
  const { content } = await peer.callTool("huge", {}, PATIENCE);
  assert(JSON.stringify(content).length >= 9_000_000);
});

Deno.test("stdioTransport() reads small answers by the thousand without a buffer for each", async () => {
  await using peer = await client(opener("stdio", []));
  const outside = () => Deno.memoryUsage().external;
  const before = outside();
  let most = 0;
  for (let n = 0; n < 2_000; n++) {
    await peer.callTool("echo", { n }, PATIENCE);
    most = Math.max(most, outside() - before);
  }
  assert(most < 8 << 20, `${most} bytes wait to be collected`);
});

Deno.test("a server that dies in mid-call fails it at once, with its exit code and last words", async () => {
  const transport = program(["servers/flaky.ts", "die-on-call"]);
  await using peer = await client(() => transport);
  await assert.rejects(
    peer.callTool("echo", {}, PATIENCE),
    (error) =>
      error instanceof TransportError && error.fault === "exited" &&
      /exit code/.test(error.message),
  );
  assert((await peer.closed).fault === "exited");
  assert(transport.tail().length > 0);
});

Deno.test("half a reply and then the end is the end, not an answer", async () => {
  await using peer = await client(opener("stdio", ["half-frame-then-exit"]));
  await assert.rejects(peer.callTool("echo", {}, PATIENCE), /ended with exit code 1/);
});

Deno.test("a server that ended is not blamed for closing its input, however late its end is known", async () => {
  const clock = new FakeClock();
  const status = Promise.withResolvers<Ending>();
  const held = () => new ReadableStream({ type: "bytes" }); // By a child of its own, which lives on.
  const peer = {
    stdin: new WritableStream({ write: () => Promise.reject(new Error("EPIPE")) }),
    stdout: held(),
    stderr: held(),
    status: status.promise,
    end: () => Promise.resolve(),
  };
  await using transport = pipeTransport(peer, { clock });
  const call = transport.exchange({ jsonrpc: "2.0", id: 1, method: "ping" });
  call.catch(() => {});
  await settle();
  await clock.tick(200);
  status.resolve({ success: true, code: 0, signal: null });
  await settle();
  await clock.tick(200);
  await clock.tick(200);
  await assert.rejects(call, /it ended with exit code 0/);
  assert.equal((await transport.closed).fault, "exited");
});

Deno.test("a server that closes its output and lives is gone all the same", {
  ignore: Deno.build.os !== "linux", // The fault closes fd 1 through libc.
}, async () => {
  await using peer = await client(opener("stdio", ["close-stdout=tools/call"]));
  await assert.rejects(peer.callTool("echo", {}, PATIENCE), /closed its output/);
});

Deno.test("stderr is drained, and its last 50 lines are kept", async () => {
  const heard: string[] = [];
  const transport = program(["servers/flaky.ts", "stderr-flood=300000"], {
    onStderr: (line) => heard.push(line),
  });
  await using peer = await client(() => transport);
  for (let n = 0; n < 3; n++) await peer.callTool("echo", {}, PATIENCE);
  assert(heard.length > 50);
  assert.equal(transport.tail().length, 50);
});

const WINDOWS = Deno.build.os === "windows";

for (const fault of ["grandchild", "deaf-grandchild", "deaf"]) {
  Deno.test(
    `detaching leaves nothing of a server that is ${fault}`,
    { ignore: WINDOWS },
    async () => {
      const peer = await client(opener("stdio", [fault]));
      const { structuredContent } = await peer.callTool("pid", {}, PATIENCE);
      const { pid, children } = structuredContent as { pid: number; children: number[] };
      assert([pid, ...children].every(alive));
      await peer[Symbol.asyncDispose]();
      await gone([pid, ...children]);
    },
  );
}

Deno.test("detaching ends a wrapper's child too", { ignore: WINDOWS }, async () => {
  const line = `${Deno.execPath()} run -A --no-config servers/flaky.ts; exit 0`;
  const peer = await client(() => command("sh", ["-c", line]));
  const { structuredContent } = await peer.callTool("pid", {}, PATIENCE);
  const { pid } = structuredContent as { pid: number };
  await peer[Symbol.asyncDispose]();
  await gone([pid]);
});

Deno.test("a live process group is known to whoever must end it, and forgotten once it is gone", async () => {
  const groups = new Set<number>();
  const peer = await client(opener("stdio", [], { groups }));
  assert.equal(groups.size, 1);
  await peer[Symbol.asyncDispose]();
  assert.equal(groups.size, 0);
});

/** A line of `sh` that prints so many kilobytes between two texts. */
const long = (before: string, kilobytes: number, after: string) =>
  `printf '%s%0${kilobytes * 1000}d%s\\n' '${before}' 0 '${after}'`;
const ANSWER = `echo '{"id":2,"result":{"content":[{"type":"text","text":"the answer"}]}}'`;

for (
  const [what, line] of [
    ["text", long("progress: ", 9, "")],
    ["a list", long('[{"id":2,"result":"', 9, '"}]')],
    ["a notice", long('{"method":"notifications/message","params":{"data":"', 9, '"}}')],
    [
      "a call of the server's with the same id",
      long('{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":"', 9, '"}}'),
    ],
    ["an answer to somebody else", long('{"jsonrpc":"2.0","id":77,"result":{"x":"', 9, '"}}')],
  ] as const
) {
  Deno.test(
    `a line over the cap that is ${what} fails no call, be it the only one`,
    { ignore: WINDOWS },
    async () => {
      const open = shell(`read -r line\n${line}\n${ANSWER}\nread -r line`, { lineCapBytes: 4_000 });
      await using peer = await client(open);
      const { content } = await peer.callTool("any", {}, PATIENCE);
      assert.equal(content[0]?.text, "the answer");
    },
  );
}

Deno.test("a call larger than all that may wait is not blamed on a server that was told nothing", {
  ignore: WINDOWS,
}, async () => {
  const clock = new FakeClock();
  await using peer = await client(shell("exec cat >/dev/null", { clock, watched: false }), clock);
  const calling = peer.callTool("any", { large: "x".repeat(65 << 20) }, PATIENCE);
  const ended = assert.rejects(
    calling,
    (error) => error instanceof TransportError && !/does not read/.test(error.message),
  );
  await settle();
  await clock.tick(PATIENCE.idle.ms);
  await ended;
});

Deno.test("a server that prints without end and says nothing is given up like a mute one", {
  ignore: WINDOWS,
}, async () => {
  const clock = new FakeClock();
  const transport = stdioTransport({
    command: "sh",
    args: ["-c", "yes >&2 & exec yes"],
    env: { PATH: Deno.env.get("PATH") ?? "" },
    clock,
  });
  const ended = assert.rejects(
    client(() => transport, clock),
    (error) => error instanceof TransportError && error.fault === "handshake_timeout",
  );
  // It has printed more than any pipe holds before we lose patience.
  while (transport.tail().length < 50) await new Promise((resolve) => setTimeout(resolve, 0));
  for (const ms of [3_000, 27_000, 500, 500]) await clock.tick(ms);
  await ended;
});
