/** Faults of the bytes on stdout and stderr, and of the ids in replies. @module */
import type { Message, Wire } from "../serve.ts";
import { says } from "../server.ts";
import { adding, type Fault, type Hooks, isOf, rewriting, whole } from "./fault.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** Puts other bytes in the place of those of one message. */
function framing(change: (line: Uint8Array, message: Message) => Uint8Array[]): Hooks {
  return {
    wire: (next) => ({
      ...next,
      frame: (message) => next.frame(message).flatMap((line) => change(line, message)),
    }),
  };
}

/** Writes one text in the place of another: what can't be made of values. */
export function writing(from: string, to: string): Hooks {
  return framing((line) => {
    const text = new TextDecoder().decode(line);
    return [text.includes(from) ? bytes(text.replace(from, () => to)) : line];
  });
}

/** Sends other messages in the place of a reply: the last is the reply, the others go before it. */
function replying(
  change: (reply: Message) => Message[],
  which: (message: Message) => boolean = () => true,
): Hooks {
  return {
    handle: (next) => async (message, out) => {
      if (!which(message)) return await next(message, out);
      // Replies that another fault sends on the side are no better off.
      const side = out && ((sent: Message) => {
        const isReply = sent.method === undefined && sent.id !== undefined;
        for (const each of isReply ? change(sent) : [sent]) out(each);
      });
      const reply = await next(message, side);
      if (reply?.id === undefined) return reply;
      const replies = change(reply);
      const last = replies.pop();
      for (const other of replies) out?.(other);
      return last;
    },
  };
}

/** Holds back what is written, and writes it as one when nothing has come for a moment. */
function batching(next: Wire): Wire {
  const held: Uint8Array<ArrayBuffer>[] = [];
  const flush = async () => {
    const all = new Uint8Array(await new Blob(held.splice(0)).arrayBuffer());
    for (let at = 0; at < all.length;) at += await next.write(all.subarray(at));
  };
  return {
    ...next,
    write(part) {
      if (held.length === 0) setTimeout(() => flush().catch(() => {}), 20);
      held.push(new Uint8Array(part));
      return Promise.resolve(part.length);
    },
  };
}

export const FRAMING: Record<string, Fault> = {
  crlf: {
    about: "ends its lines with \\r\\n",
    hooks: () => framing((line) => [new Uint8Array([...line.subarray(0, -1), 13, 10])]),
  },
  "blank-lines": {
    about: "writes empty lines before and after each message",
    hooks: () => framing((line) => [bytes("\n\n"), line, bytes("  \n")]),
  },
  noise: {
    about: "writes lines that are not JSON before and after each message",
    hooks: () =>
      framing((line, { method = "a reply" }) => [
        bytes(`[debug] sending ${method}\n`),
        line,
        bytes("{sent: true}\n"),
      ]),
  },
  "batch-lines": {
    about: "writes the messages of 20 ms in one go",
    hooks: () => ({ wire: batching }),
  },
  drip: {
    about: "writes each byte on its own",
    hooks: () => ({
      wire: (next) => ({ ...next, write: (bytes) => next.write(bytes.subarray(0, 1)) }),
    }),
  },
  "invalid-utf8": {
    about: "writes a line that is not UTF-8 before each message",
    hooks: () =>
      framing((line) => [new Uint8Array([0xff, 0xfe, 0xc3, 0x28, 0xe2, 0x82, 10]), line]),
  },
  "string-ids": {
    about: "answers with the id as a string",
    hooks: () => replying(({ id, ...reply }) => [{ ...reply, id: String(id) }]),
  },
  "unknown-ids": {
    about: "sends a reply that nobody asked for before each reply",
    hooks: () => replying((reply) => [{ jsonrpc: "2.0", id: "nobody-asked", result: {} }, reply]),
  },
  "duplicate-replies": {
    about: "sends each reply twice",
    hooks: () => replying((reply) => [reply, reply]),
  },
  "wrong-ids": {
    about: "answers METHOD, all if none is given, with an id that nobody used",
    arg: "METHOD?",
    hooks: (method) =>
      replying(
        ({ id, ...reply }) => [{ ...reply, id: Number(id) + 1000 }],
        (message) => method === "" || isOf(method, message),
      ),
  },
  "null-ids": {
    about: "answers METHOD, all if none is given, with the id null",
    arg: "METHOD?",
    hooks: (method) =>
      replying(
        (reply) => [{ ...reply, id: null }],
        (message) => method === "" || isOf(method, message),
      ),
  },
  "no-object": {
    about: "answers METHOD with a text as the result, calls if none is given",
    arg: "METHOD?",
    hooks: (method) =>
      rewriting((message) => isOf(method || "tools/call", message), () => "This is the result."),
  },
  nan: {
    about: "answers METHOD, calls if none is given, with NaN in the result, which is no JSON",
    arg: "METHOD?",
    hooks: (method) => {
      const mark = "flaky: not a number";
      return {
        ...rewriting(
          (message) => isOf(method || "tools/call", message),
          (result) => ({ ...result, number: mark }),
        ),
        ...writing(`"${mark}"`, "NaN"),
      };
    },
  },
  torn: {
    about: "breaks each message into two lines, in the midst of a text",
    hooks: () =>
      framing((line) => {
        const half = line.length >> 1;
        return [line.subarray(0, half), bytes("\n"), line.subarray(half)];
      }),
  },
  "slow-drip": {
    about: "writes a byte each MS milliseconds",
    arg: "MS",
    hooks(arg) {
      const ms = whole(arg);
      return {
        wire: (next) => ({
          ...next,
          async write(bytes) {
            await new Promise((resolve) => setTimeout(resolve, ms));
            return await next.write(bytes.subarray(0, 1));
          },
        }),
      };
    },
  },
  "half-frame-then-exit": {
    about: "writes half a reply to METHOD, to a call if none is given, then exits with 1",
    arg: "METHOD?",
    hooks: (method, box) => ({
      handle: (next) => (message, out) => {
        if (!isOf(method || "tools/call", message)) return next(message, out);
        box.print(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"content":[{"ty`);
        return box.exit(1);
      },
    }),
  },
  "huge-line": {
    about: "adds the tool huge, which answers with BYTES bytes of text on one line",
    arg: "BYTES",
    hooks(arg) {
      const size = whole(arg);
      return adding({
        name: "huge",
        description: `Returns ${size} bytes of text.`,
        inputSchema: { type: "object", properties: {} },
        run: () => says("x".repeat(size)),
      });
    },
  },
};
