import assert from "node:assert/strict";
import { apiModel } from "../../../lib/models/api.ts";
import { FakeClock } from "../../support/clock.ts";
import { calm, eventStream, Feed, json, scriptedFetch } from "../../support/fetch.ts";
import {
  END,
  event,
  failureOf,
  going,
  plain,
  REQUEST,
  stream,
  textOf,
} from "../../support/plain.ts";

Deno.test("apiModel() reads an answer in one piece where it gets one", async () => {
  for (const wanted of [true, false]) {
    const run = await going([json({ text: "Hello", end: true })], { stream: wanted });
    assert.equal((await run.turn).text, "Hello");
    assert.equal(textOf(run), "Hello");
    assert.equal(run.asked[0]!.body.stream, wanted);
  }
  const streamed = await going([stream({ text: "Hi" }, { end: true })], { stream: false });
  assert.equal((await streamed.turn).text, "Hi");
  const untyped = await going([new Response(new Feed(event({ text: "Hi" }), END).end().stream)]);
  assert.equal((await untyped.turn).text, "Hi");
});

Deno.test("apiModel() passes over comments, pings and events without data", async () => {
  const feed = new Feed(": PROCESSING\n\n", "event: ping\ndata:\n\n", event({ text: "Hi" }), END)
    .end();
  const run = await going([eventStream(feed.stream)]);
  assert.equal((await run.turn).text, "Hi");
});

Deno.test("apiModel() ends at [DONE], also when the line stays open", async () => {
  const feed = new Feed(event({ text: "Hi" }), END, "data: [DONE]\n\n");
  const run = await going([eventStream(feed.stream)]);
  assert.equal((await run.turn).text, "Hi");
  assert(feed.cancelled);
});

Deno.test("apiModel() takes a turn that was over when the line broke or went dead", async () => {
  const broken = await going([
    eventStream(new Feed(event({ text: "Hi" }), END).fail(new Error("reset")).stream),
  ]);
  assert.equal((await broken.turn).text, "Hi");
  const dead = await going([eventStream(new Feed(event({ text: "Hi" }), END).stream)]);
  await dead.clock.tick(120_000);
  assert.equal((await dead.turn).text, "Hi");
});

const CUTS: [string, () => Response, boolean][] = [
  ["without an end", () => stream({ args: '{"a' }), true],
  ["inside an event", () => eventStream(event({ args: "{}" }) + 'data: {"args": "{'), true],
  [
    "by a broken line",
    () => eventStream(new Feed(": hi\n\n").fail(new Error("reset")).stream),
    true,
  ],
  [
    "with an error event that may pass",
    () => stream({ error: "Overloaded", retryable: true }),
    true,
  ],
  ["with an error event that won't pass", () => stream({ error: "Blocked" }), false],
  ["with nothing", () => eventStream(""), true],
];

for (const [how, cut, again] of CUTS) {
  Deno.test(`apiModel() ${again ? "tries again" : "gives up"} after a stream that ends ${how}`, async () => {
    const run = await going([cut(), stream({ text: "Hi" }, { end: true })]);
    await run.clock.tick(500);
    await calm();
    if (again) {
      assert.equal((await run.turn).text, "Hi");
      assert.equal(textOf(run), "Hi");
      assert.match(run.notes.join(), /^acme [a-z -]+; trying again in 0\.4s$/);
    } else {
      assert.equal((await failureOf(run)).message, "Blocked");
      assert.deepEqual(run.notes, []);
    }
  });
}

Deno.test("apiModel() never tries again once text was shown, and keeps the sentence", async () => {
  const text = event({ text: "Once upon" });
  const cases: [Response, string][] = [
    [eventStream(text + event({ error: "Overloaded", retryable: true })), "Overloaded"],
    [eventStream(text), "the stream ended before the answer did"],
    [eventStream(text + 'data: {"te'), "the stream ended before the answer did"],
    [
      eventStream(new Feed(text).fail(new Error("reset")).stream),
      "Cannot read the answer of acme: the connection broke in the middle of it",
    ],
  ];
  for (const [answer, message] of cases) {
    const run = await going([answer]);
    assert.equal((await failureOf(run)).message, message);
    assert.deepEqual([textOf(run), run.asked.length, run.notes], ["Once upon", 1, []]);
  }
});

Deno.test("apiModel() takes reasoning for no answer: it may be thought again", async () => {
  const run = await going([stream({ reasoning: "Hm" }), stream({ text: "Hi" }, { end: true })]);
  await run.clock.tick(500);
  assert.equal((await run.turn).text, "Hi");
  assert.equal(textOf(run), "Hm|Hi");
});

Deno.test("apiModel() gives up a stream that falls silent, and cancels it", async () => {
  const feed = new Feed(event({ text: "Once" }));
  const run = await going([eventStream(feed.stream)]);
  await run.clock.tick(119_999);
  assert(!run.asked[0]!.signal.aborted);
  await run.clock.tick(1);
  assert.equal(
    (await failureOf(run)).message,
    "Cannot read the answer of acme: nothing came for 2m",
  );
  assert(run.asked[0]!.signal.aborted && feed.cancelled);
  assert.equal(run.clock.sleepers, 0);
});

Deno.test("apiModel() takes comments and half an event for signs of life", async () => {
  const feed = new Feed(event({ text: "Once" }));
  const run = await going([eventStream(feed.stream)]);
  for (const piece of [": ping\n\n", ": ping\n\n", 'data: {"text"', ':" upon"}\n\n', END]) {
    await run.clock.tick(100_000);
    feed.push(piece);
    await calm();
  }
  feed.end();
  assert.equal((await run.turn).text, "Once upon");
});

Deno.test("apiModel() tries again when a stream was silent from the start", async () => {
  const run = await going([eventStream(new Feed().stream), stream({ text: "Hi" }, { end: true })]);
  await run.clock.tick(120_000);
  await run.clock.tick(500);
  assert.equal((await run.turn).text, "Hi");
  assert.deepEqual(run.notes, ["acme fell silent; trying again in 0.4s"]);
});

Deno.test("apiModel() takes a slow reader for no silence of the API", async () => {
  const clock = new FakeClock();
  const feed = new Feed(event({ text: "a" }));
  const { fetch } = scriptedFetch(eventStream(feed.stream));
  const model = apiModel({
    provider: "acme",
    model: "m",
    format: plain,
    baseUrl: "https://acme.test",
    fetch,
    clock,
    random: () => 0,
    stream: true,
  });
  const turn = model.turn(REQUEST);
  assert.deepEqual(await turn.next(), { value: { type: "text", text: "a" }, done: false });
  await clock.tick(600_000);
  const next = turn.next();
  await calm();
  await clock.tick(100_000);
  feed.push(event({ text: "b" }));
  assert.deepEqual(await next, { value: { type: "text", text: "b" }, done: false });
  await turn.return(undefined as never);
  assert(feed.cancelled);
  assert.equal(clock.sleepers, 0);
});

Deno.test("apiModel() gives up an answer in one piece that stops coming", async () => {
  const feed = new Feed('{"text":');
  const headers = { "content-type": "application/json" };
  const run = await going([new Response(feed.stream, { headers })], { retries: 0 });
  await run.clock.tick(120_000);
  assert.match((await failureOf(run)).message, /nothing came for 2m$/);
  assert(feed.cancelled);
});

Deno.test("apiModel() understands successes that are none", async () => {
  const page = new Response("<!doctype html><title>Login</title>", {
    headers: { "content-type": "text/html" },
  });
  const asJson = { headers: { "content-type": "application/json" } };
  const cases: [Response, string, string?][] = [
    [page, "Cannot read the answer of acme: it is a web page", "Is the base URL that of the API?"],
    [
      new Response("<html>", asJson),
      "Cannot read the answer of acme: it is a web page",
      "Is the base URL that of the API?",
    ],
    [new Response("upstream error", asJson), "Cannot read the answer of acme: it is not JSON"],
    [new Response("", asJson), "Cannot read the answer of acme: it is empty"],
    [json({ error: { message: "Bad gateway", code: 400 } }), "Bad gateway"],
    [json({ error: "Bad gateway" }), "no (200)"],
    [json(null), "Cannot read the answer of acme: it is not what its API promises"],
    [stream(null), "Cannot read the answer of acme: it is not what its API promises"],
    [
      eventStream("data: oops\n\n"),
      "Cannot read the answer of acme: it is not what its API promises",
    ],
  ];
  for (const [answer, message, hint] of cases) {
    const run = await going([answer], { retries: 0 });
    const error = await failureOf(run);
    assert.deepEqual([error.message, error.hint], [message, hint]);
  }
  const limited = await going([
    json({ error: { message: "slow down", code: 429 } }),
    stream({ text: "Hi" }, { end: true }),
  ]);
  await limited.clock.tick(500);
  assert.equal((await limited.turn).text, "Hi");
  assert.deepEqual(limited.notes, ["acme is limiting us (429); trying again in 0.4s"]);
});

Deno.test("apiModel() assembles 20,000 events in chunks of a few bytes", async () => {
  const feed = new Feed(event({ args: '{"text":"' }));
  const run = await going([eventStream(feed.stream)]);
  const bytes = event({ args: "x".repeat(100) }).repeat(20_000);
  for (let at = 0; at < bytes.length; at += 37) feed.push(bytes.slice(at, at + 37));
  feed.push(event({ args: '"}' }), END);
  feed.end();
  assert.equal(((await run.turn).uses[0]!.args.text as string).length, 2_000_000);
});
