/** Replays recorded streams through the formats in small chunks: `replay_streams.ts DIR`. @module */
import { sseEvents } from "../lib/kit/sse.ts";
import { ModelError, type Turn } from "../lib/models/model.ts";
import type { Format } from "../lib/models/wire.ts";

const SIZES = [1, 7, 37];
const LONGEST = 300;

type FormatName = "anthropic" | "openai_chat" | "openai_responses" | "gemini";

const FORMATS: Record<FormatName, () => Promise<Format>> = {
  anthropic: async () => (await import("../lib/models/anthropic.ts")).anthropicFormat(),
  openai_chat: async () => (await import("../lib/models/openai_chat.ts")).openaiChatFormat(),
  openai_responses: async () =>
    (await import("../lib/models/openai_responses.ts")).openaiResponsesFormat(),
  gemini: async () => (await import("../lib/models/gemini.ts")).geminiFormat(),
};

interface Replayed {
  /** What was yielded, joined. */
  text: string;
  reasoning: string;
  turn?: Turn;
  error?: string;
}

/** Told by the payloads, so that folders may be named at will; undefined for an API that we don't speak. */
function formatOf(payloads: readonly string[]): FormatName | undefined {
  for (const payload of payloads) {
    const value = JSON.parse(payload);
    if (value.event_type !== undefined) return undefined; // Gemini's Interactions.
    if (value.candidates || value.promptFeedback) return "gemini";
    if (value.choices || value.object === "chat.completion.chunk") return "openai_chat";
    if (typeof value.type !== "string") continue;
    return /^(?:response\.|error$)/.test(value.type) ? "openai_responses" : "anthropic";
  }
}

/** The payloads as they went over the wire: names from their types, CRLF, a comment, a mark at the end. */
function wireOf(payloads: readonly string[], format: FormatName): Uint8Array {
  const events = payloads.map((payload) => {
    const { type } = JSON.parse(payload);
    return `${typeof type === "string" ? `event: ${type}\r\n` : ""}data: ${payload}\r\n\r\n`;
  });
  const end = format === "openai_chat" ? "data: [DONE]\n\n" : "";
  return new TextEncoder().encode(`: recorded\n\n${events.join("")}${end}`);
}

function chunked(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, at += size));
    },
  });
}

async function replay(format: Format, bytes: Uint8Array, size: number): Promise<Replayed> {
  const { reader } = format.write({
    system: "",
    messages: [{ role: "user", text: "go" }],
    tools: [],
    model: "recorded",
    stream: true,
    cacheKey: "replay",
    refused: new Set(),
  });
  const replayed: Replayed = { text: "", reasoning: "" };
  try {
    for await (const event of sseEvents(chunked(bytes, size))) {
      for (const { type, text } of reader.take(event)) replayed[type] += text;
    }
    replayed.turn = reader.end();
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    replayed.error = error.message;
  }
  return replayed;
}

function print(...lines: string[]): void {
  // deno-lint-ignore no-console -- a script for people
  for (const line of lines) console.log(line);
}

function short(text: string): string {
  const line = JSON.stringify(text);
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}… (${text.length})` : line;
}

function show({ text, reasoning, turn, error }: Replayed): void {
  if (reasoning !== "") print(`  reasoning ${short(reasoning)}`);
  if (text !== "") print(`  text      ${short(text)}`);
  if (error !== undefined) print(`  error     ${error}`);
  if (!turn) return;
  if (turn.text !== text) print(`  differs   the turn says ${short(turn.text)}`);
  for (const { id, name, args, unreadable } of turn.uses) {
    const written = unreadable === undefined ? JSON.stringify(args) : `unreadable ${unreadable}`;
    print(`  use       ${name} ${short(written)} (${id})`);
  }
  print(`  stop      ${turn.stop}   usage ${JSON.stringify(turn.usage)}`);
  if (turn.carry !== undefined) {
    print(`  carry     ${JSON.stringify(turn.carry).length} characters`);
  }
}

async function* recordings(dir: string): AsyncGenerator<string> {
  const entries = await Array.fromAsync(Deno.readDir(dir));
  for (const { name, isDirectory } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    const path = `${dir}/${name}`;
    if (isDirectory) yield* recordings(path);
    else if (name.endsWith(".sse-lines.txt")) yield path;
  }
}

async function main(dir: string): Promise<number> {
  let failures = 0;
  let count = 0;
  for await (const path of recordings(dir.replace(/\/$/, ""))) {
    const text = await Deno.readTextFile(path);
    const payloads = text.split("\n").filter((line) => line.trim() !== "");
    const name = formatOf(payloads);
    print(`${path} (${payloads.length} events, ${name ?? "no format of ours: skipped"})`);
    if (!name) continue;
    count++;
    const format = await FORMATS[name]();
    const bytes = wireOf(payloads, name);
    const replayed: Replayed[] = [];
    for (const size of SIZES) replayed.push(await replay(format, bytes, size));
    show(replayed[0]!);
    const seen = new Set(replayed.map((each) => JSON.stringify(each)));
    if (seen.size === 1) continue;
    failures++;
    print(`  FAILED    chunks of ${SIZES.join(", ")} bytes give ${seen.size} different turns`);
  }
  print(`${count} streams replayed, ${failures} failed`);
  return failures > 0 || count === 0 ? 1 : 0;
}

const [dir] = Deno.args;
if (dir === undefined) {
  print("Usage: deno run -A scripts/replay_streams.ts DIR");
  Deno.exitCode = 2;
} else Deno.exitCode = await main(dir);
