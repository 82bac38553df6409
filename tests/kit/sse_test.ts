import assert from "node:assert/strict";
import { bodyText, OversizedEvent, type SseEvent, sseEvents } from "../../lib/kit/sse.ts";

const encoder = new TextEncoder();

/** A body that gives `text` in chunks of `size` bytes. */
function bodyOf(text: string | Uint8Array, size = Infinity): ReadableStream<Uint8Array> {
  const bytes = typeof text === "string" ? encoder.encode(text) : text;
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += Math.min(size, bytes.length - at)));
    },
  });
}

async function eventsOf(text: string | Uint8Array, size?: number): Promise<SseEvent[]> {
  return await Array.fromAsync(sseEvents(bodyOf(text, size)));
}

for (const size of [1, 2, 3, 7, 1000]) {
  Deno.test(`sseEvents() gives the same events in chunks of ${size} bytes`, async () => {
    const text =
      '\ufeffevent: grüße\r\ndata: {"a":"👋"}\r\n\r\n: a comment\n\ndata: 1\ndata: 2\n\n' +
      "id: 7\ndata:\n\nretry: 5\nnonsense\n\ndata: 漢字\rdata:x\r\rdata: [DONE]\n\n";
    assert.deepEqual(await eventsOf(text, size), [
      { name: "grüße", data: '{"a":"👋"}' },
      { name: "message", data: "1\n2" },
      { name: "message", data: "", id: "7" },
      { name: "message", data: "漢字\nx" },
      { name: "message", data: "[DONE]" },
    ]);
  });

  Deno.test(`sseEvents() marks what the end cut short in chunks of ${size} bytes`, async () => {
    assert.deepEqual(await eventsOf('data: 1\n\nevent: x\ndata: {"a', size), [
      { name: "message", data: "1" },
      { name: "x", data: '{"a', unended: true },
    ]);
    assert.deepEqual(await eventsOf("data: 1\r", size), [
      { name: "message", data: "1", unended: true },
    ]);
    assert.deepEqual(await eventsOf("data: 1\n\n: bye", size), [{ name: "message", data: "1" }]);
  });
}

Deno.test("sseEvents() turns invalid UTF-8 into U+FFFD and goes on", async () => {
  const bytes = new Uint8Array([
    ...encoder.encode("data: a"),
    0xff,
    10,
    10,
    ...encoder.encode("data: b\n\n"),
  ]);
  assert.deepEqual((await eventsOf(bytes, 1)).map(({ data }) => data), ["a\ufffd", "b"]);
});

Deno.test("sseEvents() tells of every chunk, comments among them", async () => {
  let lives = 0;
  const options = { onLife: () => lives++ };
  const none = await Array.fromAsync(sseEvents(bodyOf(": ping\n\n: ping\n\n", 8), options));
  assert.deepEqual([none, lives], [[], 2]);
});

Deno.test("sseEvents() gives up an event that would not end", async () => {
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode("data: ")),
    pull: (controller) => controller.enqueue(encoder.encode("x".repeat(1000))),
  });
  await assert.rejects(Array.fromAsync(sseEvents(endless, { maxEvent: 5000 })), OversizedEvent);
  const lines = bodyOf("data: 0123456789\n".repeat(1000), 100);
  await assert.rejects(Array.fromAsync(sseEvents(lines, { maxEvent: 5000 })), OversizedEvent);
});

Deno.test("sseEvents() cancels the body when nobody wants more, and when it fails", async () => {
  let cancelled = 0;
  const body = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encoder.encode("data: 1\n\ndata: 2\n")),
      cancel: () => void cancelled++,
    });
  for await (const { data } of sseEvents(body())) {
    assert.equal(data, "1");
    break;
  }
  assert.equal(cancelled, 1);
  await assert.rejects(Array.fromAsync(sseEvents(body(), { maxEvent: 0 })), OversizedEvent);
  assert.equal(cancelled, 2);
});

Deno.test("sseEvents() leaves a silent body with the signal's reason", async () => {
  const leaving = new AbortController();
  const reason = new Error("the user left");
  let cancelled: unknown;
  const silent = new ReadableStream<Uint8Array>({ cancel: (why) => void (cancelled = why) });
  const events = Array.fromAsync(sseEvents(silent, { signal: leaving.signal }));
  leaving.abort(reason);
  await assert.rejects(events, reason);
  assert.equal(cancelled, reason);
  const late = sseEvents(bodyOf("data: 1\n\n"), { signal: leaving.signal });
  await assert.rejects(Array.fromAsync(late), reason);
});

Deno.test("sseEvents() passes on what broke the body", async () => {
  const broken = new Error("broken pipe");
  let chunks = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (chunks++ === 0) controller.enqueue(encoder.encode("data: 1\n\n"));
      else controller.error(broken);
    },
  });
  const events = sseEvents(body);
  assert.equal((await events.next()).value?.data, "1");
  await assert.rejects(events.next(), broken);
});

Deno.test("sseEvents() reads 20,000 events byte by byte", async () => {
  const text = 'data: {"n":1}\n\n'.repeat(20_000);
  let count = 0;
  for await (const _ of sseEvents(bodyOf(text, 1))) count++;
  assert.equal(count, 20_000);
});

Deno.test("bodyText() reads no more than it is asked to, and cancels the rest", async () => {
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(encoder.encode("grüße ")),
    cancel: () => void (cancelled = true),
  });
  assert.equal(await bodyText(endless, 20), "grüße grüße grüße ");
  assert(cancelled);
  assert.equal(await bodyText(bodyOf("漢字", 1), 100), "漢字");
});
