/** What a streamed token costs beside a bare reader of the same bytes, and that long streams stay cheap. @module */
import { realClock } from "../lib/cli/world.ts";
import { apiModel } from "../lib/models/api.ts";
import { openaiChatFormat } from "../lib/models/openai_chat.ts";
import { claim, medians, print, table, verdict } from "./rounds.ts";

const EVENTS = 20_000;
const FEWER = 5_000;
/** Letters of arguments in one event: 2 MB in all. */
const PIECE = 100;
/** Bytes of one write of the server: a few events, as a busy API sends them. */
const WRITE = 1_400;

function event(delta: unknown, finish: string | null = null): string {
  const chunk = {
    id: "chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz",
    object: "chat.completion.chunk",
    created: 1769088720,
    model: "gpt-x",
    system_fingerprint: "fp_0123456789",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function text(events: number): string {
  const tokens = Array.from({ length: events }, (_, n) => event({ content: ` token${n % 10}` }));
  return event({ role: "assistant", content: "" }) + tokens.join("") + event({}, "stop");
}

function call(events: number): string {
  const args = (piece: string) =>
    event({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
  const start = {
    index: 0,
    id: "call_1",
    type: "function",
    function: { name: "t", arguments: "" },
  };
  const pieces = args("x".repeat(PIECE)).repeat(events);
  return event({ role: "assistant", content: null, tool_calls: [start] }) + args('{"text":"') +
    pieces + args('"}') + event({}, "tool_calls");
}

/** Answers `POST /NAME/chat/completions`, in a process of its own: what it costs is nobody's. */
async function serve(): Promise<void> {
  const encoder = new TextEncoder();
  const bodies: Record<string, Uint8Array> = {};
  for (
    const [name, body] of Object.entries({
      text: text(EVENTS),
      call: call(EVENTS),
      fewer: call(FEWER),
    })
  ) {
    bodies[name] = encoder.encode(`${body}data: [DONE]\n\n`);
  }
  const onListen = ({ port }: { port: number }) => print(String(port));
  await Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, ({ url }) => {
    const bytes = bodies[new URL(url).pathname.split("/")[1]!]!;
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) controller.close();
        else controller.enqueue(bytes.subarray(at, at += WRITE));
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }).finished;
}

/** The floor: every event parsed, and forgotten. */
async function bare(url: string): Promise<void> {
  const response = await fetch(url, { method: "POST", body: "{}" });
  const decoder = new TextDecoder();
  let rest = "";
  let events = 0;
  for await (const chunk of response.body!) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      JSON.parse(line.slice(6));
      events++;
    }
  }
  if (events < FEWER) throw new Error(`the bare reader saw ${events} events`);
}

async function ours(baseUrl: string): Promise<void> {
  const model = apiModel({
    provider: "bench",
    model: "gpt-x",
    format: openaiChatFormat(),
    baseUrl,
    fetch,
    clock: realClock,
    random: Math.random,
    stream: true,
  });
  const turn = model.turn({ system: "", messages: [{ role: "user", text: "go" }], tools: [] });
  let length = 0;
  while (true) {
    const { value, done } = await turn.next();
    if (!done) length += value.text.length;
    else if (value.uses.length > 0) length += String(value.uses[0]!.args.text).length;
    if (done) break;
  }
  if (length < FEWER * PIECE / 5) throw new Error(`fusebox saw ${length} letters`);
}

async function bench(): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", new URL(import.meta.url).pathname, "serve"],
    stdout: "piped",
  }).spawn();
  const port = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await port.read();
  const at = (name: string) => `http://127.0.0.1:${value!.trim()}/${name}`;

  print(`stream.ts: ${EVENTS} tokens of text, in writes of ${WRITE} bytes`);
  const tokens = await medians({
    "bare fetch": () => bare(`${at("text")}/chat/completions`),
    "fusebox": () => ours(at("text")),
  });
  table(tokens);
  const above = (tokens.fusebox - tokens["bare fetch"]) * 1_000 / EVENTS;
  print(`  ${above.toFixed(2)} µs a token above the bare reader`);
  claim("fusebox / bare fetch", tokens.fusebox / tokens["bare fetch"], { atMost: 2 });

  const megabytes = EVENTS * PIECE / 1_000_000;
  print(`stream.ts: tool arguments in ${FEWER} and in ${EVENTS} events, ${megabytes} MB in all`);
  const args = await medians({
    fewer: () => ours(at("fewer")),
    all: () => ours(at("call")),
  });
  table(args);
  claim("time for four times the arguments", args.all / args.fewer, { atMost: 5 });

  child.kill();
  await child.status;
  await port.cancel();
  Deno.exitCode = verdict();
}

await (Deno.args[0] === "serve" ? serve() : bench());
