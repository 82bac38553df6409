/** What a call costs above a bare pipe, beside the official client, over the same echo server. @module */
import { registryOf } from "../tests/support/clients.ts";
import { realClock } from "../lib/cli/world.ts";
import { stdioTransport } from "../lib/transport/stdio.ts";
import { claim, medians, print, table, verdict } from "./rounds.ts";

/** A stranger to measure against. Not a literal import: it must not become a dependency of ours. */
const OFFICIAL = "npm:@modelcontextprotocol/client@2.4.0";
const { Client } = await import(OFFICIAL);
const { StdioClientTransport } = await import(`${OFFICIAL}/stdio`);

const SEQUENTIAL = 1_000;
const PIPELINED = 5_000;
const SERVER = [
  "run",
  "-A",
  "--no-config",
  "--quiet",
  new URL("./echo.ts", import.meta.url).pathname,
];
const ARGS = { text: "hello", n: 1 };

/** The floor: the same frames, written and read with nothing in between. */
async function rawPipe(): Promise<
  { call(id: number): Promise<void>; all(count: number): Promise<void>; end(): Promise<void> }
> {
  const child = new Deno.Command(Deno.execPath(), {
    args: SERVER,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.getReader();
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const frame = (id: number) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "echo", arguments: ARGS, _meta: { ...meta, progressToken: id } },
    }) + "\n";
  let rest = "";
  /** Reads until so many replies have come. */
  const replies = async (count: number) => {
    while (count > 0) {
      const { value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop()!;
      for (const line of lines) JSON.parse(line);
      count -= lines.length;
    }
  };
  await writer.write(encoder.encode(frame(0)));
  await replies(1);
  return {
    async call(id) {
      await writer.write(encoder.encode(frame(id)));
      await replies(1);
    },
    async all(count) {
      const frames = Array.from({ length: count }, (_, id) => frame(id)).join("");
      // Not one after the other: a server that writes while we do would block us both.
      await Promise.all([writer.write(encoder.encode(frames)), replies(count)]);
    },
    async end() {
      await writer.close();
      await child.status;
      await reader.cancel();
    },
  };
}

const raw = await rawPipe();
await using registry = registryOf(
  {
    a: () =>
      stdioTransport({
        command: Deno.execPath(),
        args: SERVER,
        env: Deno.env.toObject(),
        clock: realClock,
      }),
    // The other contestants bound no calls under way.
  },
  { overall: Infinity },
  { concurrency: Infinity },
);
await registry.attachAll();
// The same dialect for all: its frames are larger than those of the older ones.
const official = new Client({ name: "bench", version: "0" }, {
  versionNegotiation: { mode: "auto" },
});
await official.connect(
  new StdioClientTransport({ command: Deno.execPath(), args: SERVER, stderr: "ignore" }),
);
const theirs = () => official.callTool({ name: "echo", arguments: ARGS });
const ours = () => registry.call("mcp__a__echo", ARGS);

async function times(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n++) await work(n);
}
const atOnce = (count: number, work: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, work)).then(() => {});

print(`call.ts: ${SEQUENTIAL} calls one after the other`);
const sequential = await medians({
  "raw pipe": () => times(SEQUENTIAL, (n) => raw.call(n)),
  "fusebox": () => times(SEQUENTIAL, ours),
  "official client": () => times(SEQUENTIAL, theirs),
});
table(sequential);
claim("fusebox / raw pipe", sequential.fusebox / sequential["raw pipe"], { atMost: 1.6 });
claim("official client / fusebox", sequential["official client"] / sequential.fusebox, {
  atLeast: 1,
});

print(`call.ts: ${PIPELINED} calls at once`);
const pipelined = await medians({
  "raw pipe": () => raw.all(PIPELINED),
  "fusebox": () => atOnce(PIPELINED, ours),
  "official client": () => atOnce(PIPELINED, theirs),
});
table(pipelined);
claim("official client / fusebox", pipelined["official client"] / pipelined.fusebox, {
  atLeast: 3,
});

await official.close();
await raw.end();
Deno.exitCode = verdict();
