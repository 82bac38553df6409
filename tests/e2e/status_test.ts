/** The status page of real runs: where it is told, what it says, and that it is never in the way. */
import assert from "node:assert/strict";
import {
  demo,
  eventually,
  flaky,
  FUSEBOX,
  posixTest,
  type Run,
  type Sandbox,
  sandbox,
} from "../support/cli.ts";
import { ChatServer, Held, turn } from "../support/models_chat.ts";
import { lasting, patient } from "../support/time.ts";

const CONFIG = { servers: { flaky: flaky(), notes: demo("notes") } };
const TOKEN = "0123456789abcdef-0123456789abcdef";

/** Flags of a run whose model waits for a slow tool, then answers. */
async function slowly(box: Sandbox, ms: number): Promise<string[]> {
  const turns = [{ uses: [{ name: "mcp__flaky__slow", args: { ms } }] }, { text: "Done." }];
  return ["Go", "-m", `script:${await box.file("turns.yaml", turns)}`, "--yes"];
}

/** Flags and environment of a run with a status page over this model. */
function watched(model: ChatServer): [string[], Record<string, string>] {
  return [["Go", "-m", "openai-chat/gpt-x", "--yes", "--status=0"], model.env];
}

async function urlOf(run: Run): Promise<string> {
  await run.until("stderr", "\n", await run.until("stderr", "Status page: "));
  return /Status page: (\S+)/.exec(run.stderr)![1]!;
}

async function taken(): Promise<{ port: number } & AsyncDisposable> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return {
    port: await Promise.resolve(listener.addr.port),
    [Symbol.asyncDispose]: () => Promise.resolve(listener.close()),
  };
}

posixTest("ask --status=0 says where it is, shows the run, and goes with it", async () => {
  await using box = await sandbox();
  const run = await box.start([...await slowly(box, 60_000), "--status=0"], { config: CONFIG });
  const url = await urlOf(run);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  await run.until("stderr", "→ flaky.slow");
  const { run: facts, servers, fusebox } = await (await fetch(`${url}/status`)).json();
  assert.equal(facts.mode, "full");
  assert.match(facts.model, /^script:/);
  assert.equal(facts.requests, 1);
  assert.match(facts.prefix, /^[0-9a-f]{16}$/);
  assert.deepEqual(servers.map((it: Record<string, string>) => [it.alias, it.state]), [
    ["flaky", "online"],
    ["notes", "online"],
  ]);
  assert((await box.living()).includes(servers[0].pid));
  assert.match(fusebox, /^\d+\.\d+\.\d+/);
  const { tools } = await (await fetch(`${url}/tools`)).json();
  assert(tools.some(({ name }: { name: string }) => name === "mcp__notes__search"));
  run.send("SIGTERM");
  assert.equal((await run.ended).code, 143);
  await assert.rejects(fetch(`${url}/status`));
});

Deno.test("the answer of a run with a status page is the answer alone, and whoever watches hears of its end", async () => {
  await using box = await sandbox();
  const answer = new Held();
  await using model = new ChatServer(turn("", [["flaky.slow", { ms: 1 }]]), answer.reply);
  const [args, env] = watched(model);
  const run = await box.start(args, { config: CONFIG, env });
  const events = await fetch(`${await urlOf(run)}/events`);
  answer.say("Done.");
  answer.end();
  const text = await events.text(); // It ends by itself.
  const result = await run.ended;
  assert.equal(result.code, 0, result.stderr);
  assert.equal(result.stdout, "Done.\n");
  const [, last] = /event: end\ndata: (.*)\n\n$/.exec(text)!;
  const { run: facts, servers, calls, table } = JSON.parse(last!);
  assert.equal(facts.ending, "answered");
  assert.equal(calls.at(-1).tool, "slow");
  assert.equal(servers[0].calls.outcomes.ok, 1);
  assert.equal(servers[0].state, "online", "as it stood, not as it was taken down");
  assert(table.tools.length > 5);
});

Deno.test("whoever watches and does not read holds up nobody's end", async () => {
  await using box = await sandbox();
  const answer = new Held();
  await using model = new ChatServer(answer.reply);
  const [args, env] = watched(model);
  const run = await box.start(args, { config: CONFIG, env });
  const { hostname, port } = new URL(await urlOf(run));
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const request = `GET /events HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  await connection.read(new Uint8Array(1_000));
  answer.say("Done.");
  answer.end();
  const ms = await lasting(async () => assert.equal((await run.ended).code, 0));
  assert(ms < patient(5_000), `${ms} ms`);
  connection.close();
});

posixTest(
  "whoever opens connections without end costs the run nothing: all are let go, and it goes on",
  async () => {
    await using box = await sandbox();
    const flags = ["-c", await box.file("c.json", { servers: {} }), "status", "--status=0"];
    const few = `ulimit -n 64; exec "$@"`;
    const run = box.spawn(["sh", "-c", few, "sh", ...FUSEBOX, ...flags]);
    await run.until("stdout", "\n");
    const url = new URL(run.stdout.trim());
    const flood = Array.from(
      { length: 100 },
      () => Deno.connect({ hostname: url.hostname, port: Number(url.port) }).catch(() => {}),
    );
    await run.until("stderr", "fusebox: The status page let everybody go: Too many open files");
    await eventually(async () => {
      const answer = await fetch(`${url}health/live`).catch(() => undefined);
      await answer?.body?.cancel();
      return answer?.status === 200 ? undefined : "nobody answers";
    });
    for (const connection of await Promise.all(flood)) connection?.close();
    run.send("SIGTERM");
    const { code, stderr } = await run.ended;
    assert.equal(code, 143);
    assert.equal(stderr.match(/The status page/g)!.length, 1, stderr);
  },
);

Deno.test("a port that is taken is one clear line, and the run goes on without", async () => {
  await using box = await sandbox();
  await using other = await taken();
  const args = [...await slowly(box, 1), `--status=${other.port}`];
  const { code, stdout, stderr } = await box.fusebox(args, { config: CONFIG });
  assert.equal(code, 0);
  assert.equal(stdout, "Done.\n");
  const lines = stderr.split("\n").filter((line) => line.includes(String(other.port)));
  assert.deepEqual(lines, [
    `fusebox: Cannot show the status page on 127.0.0.1:${other.port}: something else listens there ` +
    "(--status=0 takes a port that is free); the run goes on without",
  ]);
});

Deno.test("fusebox status without its port is nothing: exit code 2, with a hint", async () => {
  await using box = await sandbox();
  await using other = await taken();
  const { code, stdout, stderr } = await box.fusebox(["status", `--status=${other.port}`], {
    config: CONFIG,
  });
  assert.equal(code, 2);
  assert.equal(stdout, "");
  assert.match(stderr, /something else listens there\n {2}--status=0 takes a port that is free\n$/);
});

Deno.test("an address that others reach needs a token, before anything is started", async () => {
  await using box = await sandbox();
  for (
    const args of [["status", "--status-host", "0.0.0.0"], [
      "hi",
      "--status",
      "--status-host=::",
    ]]
  ) {
    const { code, stderr } = await box.fusebox(args, { config: CONFIG });
    assert.equal(code, 2);
    assert.match(stderr, /others would see it, and there is no token\n.*FUSEBOX_STATUS_TOKEN/);
  }
});

posixTest(
  "fusebox status attaches all, says where on stdout, and leaves nothing behind",
  async () => {
    await using box = await sandbox();
    const config = { servers: { ...CONFIG.servers, gone: { command: "/nonexistent" } } };
    const run = await box.start(["status", "--status=0", "--json"], { config });
    await run.until("stdout", "}\n");
    const { url } = JSON.parse(run.stdout);
    await run.until("stderr", "notes: online");
    await run.until("stderr", "flaky: online");
    await run.until("stderr", 'Cannot attach "gone"');
    const { run: facts, servers, ready } = await (await fetch(`${url}/status`)).json();
    assert.equal(facts.mode, "status");
    assert.equal(ready, true);
    assert.equal(servers[2].reason, "spawn_not_found");
    const events = (await fetch(`${url}/events`)).text();
    run.send("SIGINT");
    const { code, stdout, ms: _ } = await run.ended;
    assert.equal(code, 130);
    assert.equal(stdout, `{\n  "url": "${url}"\n}\n`);
    assert.match(await events, /event: end\ndata: .*"ending":"left"/);
  },
);

posixTest("with a token in the environment it is asked for, and shown nowhere", async () => {
  await using box = await sandbox();
  const run = await box.start(["status", "--status=0", "-v"], {
    config: CONFIG,
    env: { FUSEBOX_STATUS_TOKEN: TOKEN },
  });
  await run.until("stdout", "\n");
  const url = run.stdout.trim();
  const status = async (headers: HeadersInit) => {
    const answer = await fetch(`${url}/status`, { headers });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await status({}), 401);
  assert.equal(await status({ authorization: "Bearer 0123456789abcdef" }), 401);
  assert.equal(await status({ authorization: `Bearer ${TOKEN}` }), 200);
  run.send("SIGINT");
  const { stdout, stderr } = await run.ended;
  assert(!(stdout + stderr).includes(TOKEN));
});
