/** Faults of the bytes on stdout and stderr, and of the ids in replies. @module */
import type { Message, Wire } from "../serve.ts";
import { says } from "../server.ts";
import { adding, type Box, type Fault, type Hooks, isSpoilable, whole } from "./fault.ts";

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

/** Sends other messages in the place of a reply: the last is the reply, the others go before it. */
function replying(change: (reply: Message) => Message[]): Hooks {
  return {
    handle: (next) => async (message, out) => {
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

function flood(arg: string, box: Box): Hooks {
  const line = "flaky: this line is one of very many\n";
  const text = line.repeat(Math.ceil(whole(arg) / line.length)).slice(0, whole(arg));
  return {
    start: () => box.log(text),
    handle: (next) => (message, out) => {
      if (message.method === "tools/call") box.log(text);
      return next(message, out);
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
  "half-frame-then-exit": {
    about: "writes half a reply to tools/call, then exits with 1",
    hooks: (_, box) => ({
      handle: (next) => (message, out) => {
        if (!isSpoilable(message)) return next(message, out);
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
  "stderr-flood": {
    about:
      "writes BYTES bytes to stderr at the start and before each call, and waits for the reader",
    arg: "BYTES",
    hooks: flood,
  },
};
