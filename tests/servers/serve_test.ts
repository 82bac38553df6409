/** serveStdio() over a wire in memory: bytes in any pieces, in and out. @module */
import assert from "node:assert/strict";
import { frame, type Handler, type Message, serveStdio, type Wire } from "../../servers/serve.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** A wire whose input stands ready in these pieces, and what was written to it. */
function wire(pieces: (string | Uint8Array)[], more: Partial<Wire> = {}) {
  const written: Uint8Array[] = [];
  const readable = ReadableStream.from(
    pieces.map((piece) => typeof piece === "string" ? bytes(piece) : piece),
  );
  const write = (part: Uint8Array) => {
    written.push(part.slice());
    return Promise.resolve(part.length);
  };
  const text = () => {
    const decoder = new TextDecoder();
    return written.map((part) => decoder.decode(part, { stream: true })).join("");
  };
  const lines = (): Message[] => text().split("\n").slice(0, -1).map((line) => JSON.parse(line));
  return { wire: { readable, write, frame, ...more }, written, text, lines };
}

const answered = (message: Message) =>
  Promise.resolve(
    message.id === undefined ? undefined : { jsonrpc: "2.0", id: message.id, result: message },
  );

Deno.test("serveStdio() reads lines in any pieces, even through a character", async () => {
  const line = bytes('{"id":1,"method":"grüße 🚀"}\n');
  for (const size of [1, 2, 3, 7, line.length]) {
    const pieces = [];
    for (let at = 0; at < line.length; at += size) pieces.push(line.subarray(at, at + size));
    const { wire: w, lines } = wire(pieces);
    await serveStdio(answered, w);
    assert.equal(lines()[0].result.method, "grüße 🚀");
  }
});

Deno.test("serveStdio() takes CRLF, blank lines, and a last line without an end", async () => {
  const { wire: w, lines } = wire(['{"id":1,"method":"a"}\r\n\n  \r\n{"id":2,"method":"b"}']);
  await serveStdio(answered, w);
  assert.deepEqual(lines().map(({ id }) => id), [1, 2]);
});

Deno.test("serveStdio() answers a line that is not JSON with -32700 and goes on", async () => {
  const { wire: w, lines } = wire(['{"id":1,\n{"id":2,"method":"b"}\n']);
  await serveStdio(answered, w);
  assert.deepEqual(lines()[0], {
    jsonrpc: "2.0",
    error: { code: -32700, message: "Parse error: not a line of JSON" },
  });
  assert.equal(lines()[1].id, 2);
});

Deno.test("serveStdio() writes nothing for a notice, and what a handler sends before its reply", async () => {
  const { wire: w, text } = wire(['{"method":"quiet"}\n{"id":1,"method":"loud"}\n']);
  await serveStdio((message, out) => {
    if (message.id !== undefined) out?.({ method: "knock" });
    return answered(message);
  }, w);
  assert.equal(
    text(),
    '{"method":"knock"}\n{"jsonrpc":"2.0","id":1,"result":{"id":1,"method":"loud"}}\n',
  );
});

Deno.test("serveStdio() lets a quick call overtake a slow one", async () => {
  let finish = () => {};
  const slow = new Promise<void>((resolve) => finish = resolve);
  const { wire: w, lines } = wire(['{"id":1,"method":"slow"}\n', '{"id":2,"method":"quick"}\n']);
  await serveStdio(async (message) => {
    if (message.method === "slow") await slow;
    if (message.method === "quick") finish();
    return await answered(message);
  }, w);
  assert.deepEqual(lines().map(({ id }) => id).toSorted(), [1, 2]);
});

Deno.test("serveStdio() cancels what is still running when stdin ends, and returns", async () => {
  const cancelled: unknown[] = [];
  const handle: Handler = (message) => {
    if (message.method === "notifications/cancelled") cancelled.push(message.params.requestId);
    return new Promise(() => {});
  };
  await serveStdio(handle, wire(['{"id":1,"method":"a"}\n{"id":"x","method":"b"}\n']).wire);
  assert.deepEqual(cancelled, [1, "x"]);
});

Deno.test("serveStdio() writes on where a write was short", async () => {
  const parts: number[] = [];
  const { wire: w } = wire(['{"id":1,"method":"a"}\n'], {
    write(part) {
      parts.push(part[0]!);
      return Promise.resolve(1);
    },
  });
  await serveStdio(answered, w);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(new Uint8Array(parts))).id, 1);
});

Deno.test("serveStdio() answers -32603 when a handler throws", async () => {
  const { wire: w, lines } = wire(['{"id":1,"method":"a"}\n']);
  await serveStdio(() => Promise.reject(new Error("oops")), w);
  assert.deepEqual(lines()[0].error, { code: -32603, message: "Internal error: Error: oops" });
});

Deno.test("serveStdio() returns when nobody reads its stdout any more", async () => {
  let asked = 0;
  const readable = new ReadableStream<Uint8Array>({
    // One question, and a stdin that stays open.
    start: (controller) => controller.enqueue(bytes('{"id":1,"method":"a"}\n')),
    cancel: () => void asked++,
  });
  const write = () => Promise.reject(new Deno.errors.BrokenPipe());
  await serveStdio(answered, { readable, write, frame });
  assert.equal(asked, 1);
});

Deno.test("serveStdio() reads no further while a megabyte of answers waits", async () => {
  let handled = 0;
  let open = () => {};
  const gate = new Promise<void>((resolve) => open = resolve);
  let stuck = () => {};
  const full = new Promise<void>((resolve) => stuck = resolve);
  const question = bytes('{"id":1,"method":"a"}\n');
  let left = 50;
  const { wire: w } = wire([], {
    readable: new ReadableStream({
      pull(controller) {
        if (left-- > 0) controller.enqueue(question);
        else controller.close();
      },
    }),
    async write(part) {
      stuck();
      await gate;
      return part.length;
    },
  });
  const served = serveStdio(() => {
    handled++;
    return Promise.resolve({ id: 1, result: "x".repeat(400_000) });
  }, w);
  await full;
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.ok(handled < 6, `${handled} of 50 were handled`);
  open();
  await served;
  assert.equal(handled, 50);
});
