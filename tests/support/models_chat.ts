/** A small server that speaks Chat Completions and says what a test tells it to say. @module */
import assert from "node:assert/strict";
import type { Body } from "./models_formats.ts";

/** A request as it came. */
export interface Asked {
  path: string;
  headers: Headers;
  /** Undefined where there was none. */
  body: Body;
}

export type Reply = (asked: Asked) => Response | Promise<Response>;

export const KEY = "sk-chat-0123456789abcdef";
/** What a turn costs. */
const USAGE = { prompt_tokens: 50, completion_tokens: 10, total_tokens: 60 };

/** Answers in order; what comes after the last reply is refused. */
export class ChatServer implements AsyncDisposable {
  readonly asked: Asked[] = [];
  readonly #replies: readonly Reply[];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  #news = Promise.withResolvers<void>();

  constructor(...replies: Reply[]) {
    this.#replies = replies;
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      (request) => this.#answer(request),
    );
  }

  /** Without a version. */
  get root(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** What leads OpenAI's users here. */
  get env(): Record<string, string> {
    return { OPENAI_BASE_URL: `${this.root}/v1`, OPENAI_API_KEY: KEY };
  }

  /** The bodies of all that was asked. */
  get bodies(): Body[] {
    return this.asked.map(({ body }) => body);
  }

  /** Resolves once it was asked for the nth time, from 1. */
  async until(nth: number): Promise<Asked> {
    while (this.asked.length < nth) await this.#news.promise;
    return this.asked[nth - 1]!;
  }

  async #answer(request: Request): Promise<Response> {
    const text = await request.text();
    const asked = {
      path: new URL(request.url).pathname,
      headers: new Headers(request.headers),
      body: text === "" ? undefined : JSON.parse(text),
    };
    const reply = this.#replies[this.asked.length] ??
      refuses(400, { message: `Nobody expects request ${this.asked.length + 1}` });
    this.asked.push(asked);
    this.#news.resolve();
    this.#news = Promise.withResolvers();
    return await reply(asked);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

/** A whole turn: text in pieces, then calls of tools as `alias.tool`, or of ours by their names. */
export function turn(
  pieces: string | readonly string[],
  calls: readonly (readonly [tool: string, args: object])[] = [],
  finish = calls.length > 0 ? "tool_calls" : "stop",
): Reply {
  const texts = typeof pieces === "string" ? [pieces] : pieces;
  const tools = calls.map(([tool, args], index) => ({
    index,
    id: `call_${index}`,
    type: "function",
    function: {
      name: tool.includes(".") ? `mcp__${tool.replace(".", "__")}` : tool,
      arguments: JSON.stringify(args),
    },
  }));
  return ({ body }) => {
    if (!body.stream) {
      const message = {
        role: "assistant",
        content: texts.join(""),
        ...(tools.length > 0 && { tool_calls: tools }),
      };
      return Response.json({
        choices: [{ index: 0, message, finish_reason: finish }],
        usage: USAGE,
      });
    }
    const chunks = [
      ...texts.map((content) => chunk({ role: "assistant", content })),
      ...tools.map((tool) => chunk({ tool_calls: [tool] })),
      chunk({}, finish),
      `data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\n`,
      "data: [DONE]\n\n",
    ];
    return stream(chunks.join(""));
  };
}

/** An error, as OpenAI shapes it. */
export function refuses(
  status: number,
  error: object,
  headers: Record<string, string> = {},
): Reply {
  return () => Response.json({ error }, { status, headers });
}

/** A stream that a test feeds by hand. */
export class Held {
  /** Resolves when whoever listened has left before the end. */
  readonly left: Promise<void>;
  readonly reply: Reply;
  #feed: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor() {
    const left = Promise.withResolvers<void>();
    this.left = left.promise;
    const body = new ReadableStream<Uint8Array>({
      start: (feed) => void (this.#feed = feed),
      cancel: () => left.resolve(),
    });
    this.reply = () => stream(body);
  }

  say(content: string): void {
    this.#write(chunk({ content }));
  }

  think(reasoning_content: string): void {
    this.#write(chunk({ reasoning_content }));
  }

  call(tool: string, args: object): void {
    const call = {
      name: `mcp__${tool.replace(".", "__")}`,
      arguments: JSON.stringify(args),
    };
    this.#write(chunk({ tool_calls: [{ index: 0, id: "call_0", function: call }] }));
  }

  end(finish = "stop"): void {
    this.#write(chunk({}, finish) + "data: [DONE]\n\n");
    this.#feed!.close();
  }

  /** Says in mid-stream that something went wrong, as OpenAI does. */
  fail(error: object): void {
    this.#write(`data: ${JSON.stringify({ error })}\n\n`);
    this.#feed!.close();
  }

  #write(text: string): void {
    this.#feed!.enqueue(new TextEncoder().encode(text));
  }
}

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ object: "chat.completion.chunk", choices })}\n\n`;
}

function stream(body: BodyInit): Response {
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Takes a connection, reads what comes, and never says a word. */
export class MuteServer implements AsyncDisposable {
  /** Resolves once a whole request has come. */
  readonly asked: Promise<void>;
  /** Resolves once the other side has hung up. */
  readonly left: Promise<void>;
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });

  constructor() {
    const asked = Promise.withResolvers<void>();
    this.asked = asked.promise;
    this.left = this.#listen(asked.resolve);
  }

  get env(): Record<string, string> {
    const url = `http://127.0.0.1:${this.#listener.addr.port}/v1`;
    return { OPENAI_BASE_URL: url, OPENAI_API_KEY: KEY };
  }

  async #listen(asked: () => void): Promise<void> {
    let conn: Deno.TcpConn;
    try {
      conn = await this.#listener.accept();
    } catch {
      return; // Nobody ever came.
    }
    const buffer = new Uint8Array(16 * 1024);
    let text = "";
    try {
      for (let size = await conn.read(buffer); size !== null; size = await conn.read(buffer)) {
        text += new TextDecoder().decode(buffer.subarray(0, size));
        if (text.includes("\r\n\r\n") && text.endsWith("}")) asked();
      }
    } catch {
      // Reset is left, too.
    }
    conn.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.left;
  }
}

/** What the user said in the nth message of the user, from 0. */
export function userText({ messages }: Body, nth = 0): string {
  const said = messages.filter(({ role }: Body) => role === "user");
  const { content } = said.at(nth);
  if (typeof content === "string") return content;
  return content.map(({ text = "" }) => text).join("");
}

/** The public names that are offered. */
export function offered({ tools = [] }: Body): string[] {
  return tools.map((tool: Body) => tool.function.name);
}

/** The schema that goes with a tool. */
export function parametersOf({ tools }: Body, name: string): Body {
  return tools.find((tool: Body) => tool.function.name === name).function.parameters;
}

/** What tools have said so far, by call. */
export function toolTexts({ messages }: Body): string[] {
  return messages.filter(({ role }: Body) => role === "tool").map(({ content }: Body) => {
    assert.equal(typeof content, "string");
    return content;
  });
}
