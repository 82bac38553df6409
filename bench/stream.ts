/** What a streamed token costs above a bare reader of the same bytes, and that long streams stay cheap. @module */
import { realClock } from "../lib/cli/world.ts";
import { apiModel } from "../lib/models/api.ts";
import type { Format } from "../lib/models/wire.ts";
import { openaiChatFormat } from "../lib/models/openai_chat.ts";
import { claim, medians, print, table, verdict } from "./rounds.ts";

const TOKENS = 20_000;
const SHORT = 5_000;
const ARGUMENT_BYTES = 2_000_000;
/** Bytes of one write of the server: a few events, as a busy API sends them. */
const WRITE = 1_400;

function chunk(delta: unknown, finish: string | null = null): string {
  return `data: ${
    JSON.stringify({
      id: "chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz",
      object: "chat.completion.chunk",
      created: 1769088720,
      model: "gpt-x",
      system_fingerprint: "fp_0123456789",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    })
  }\n\n`;
}

const END = "data: [DONE]\n\n";

function textStream(tokens: number): string {
  const body = Array.from({ length: tokens }, (_, n) => chunk({ content: ` token${n % 10}` }));
  return [chunk({ role: "assistant", content: "" }), ...body, chunk({}, "stop"), END].join("");
}

/** A use whose arguments are `bytes` long and come in `events` pieces. */
function argumentStream(events: number, bytes: number): string {
  const piece = "x".repeat(Math.floor(bytes / events));
  const args = (text: string) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] });
  const start = { index: 0, id: "call_1", type: "function", function: { name: "t", arguments: "" } };
  return [
    chunk({ role: "assistant", content: null, tool_calls: [start] }),
    args('{"text":"'),
    ...Array.from({ length: events }, () => args(piece)),
    args('"}'),
    chunk({}, "tool_calls"),
    END,
  ].join("");
}

const STREAMS: Record<string, Uint8Array> = Object.fromEntries(
  Object.entries({
    text: textStream(TOKENS),
    long: argumentStream(TOKENS, ARGUMENT_BYTES),
    short: argumentStream(SHORT, ARGUMENT_BYTES * SHORT / TOKENS),
  }).map(([name, text]) => [name, new TextEncoder().encode(text)]),
);
