import assert from "node:assert/strict";
import { apiModel, modelNames } from "../../lib/models/api.ts";
import { ModelError } from "../../lib/models/model.ts";
import { FakeClock } from "../support/clock.ts";
import {
  type Answer,
  type Asked,
  calm,
  eventStream,
  Feed,
  json,
  scriptedFetch,
  silence,
} from "../support/fetch.ts";
import {
  END,
  event,
  failureOf,
  going,
  KEY,
  plain,
  REQUEST,
  stream,
  textOf,
  tool,
} from "../support/plain.ts";

Deno.test("apiModel() writes the request, yields what comes and returns the turn", async () => {
  const run = await going([stream({ text: "Hel" }, { text: "lo" }, { end: true })], {
    headers: { "X-Plain": "2" },
  });
  assert.deepEqual(await run.turn, { text: "Hello", uses: [], stop: "end" });
  assert.equal(textOf(run), "Hel|lo");
  const [{ url, method, headers, body }] = run.asked as [Asked];
  assert.deepEqual([url, method], ["https://api.acme.test/v1/turn?alt=sse", "POST"]);
  assert.equal(headers.get("authorization"), `Bearer ${KEY}`);
  assert.equal(headers.get("content-type"), "application/json");
  assert.equal(headers.get("x-plain"), "2");
  assert.match(body.cacheKey, /^fusebox-[a-z0-9]{6,}$/);
  assert.deepEqual(body, { model: "m-1", stream: true, cacheKey: body.cacheKey, tools: [] });
  assert.equal(run.clock.sleepers, 0);
});

Deno.test("apiModel() keeps the query of a base URL, and its cache key over a run", async () => {
  const { fetch, asked } = scriptedFetch(stream({ end: true }), stream({ end: true }));
  const model = apiModel({
    provider: "acme",
    model: "m",
    format: plain,
    baseUrl: "https://acme.test/deployments/d?api-version=1",
    fetch,
    clock: new FakeClock(),
    random: Math.random,
    stream: true,
  });
  assert.equal(model.name, "acme/m");
  for (let n = 0; n < 2; n++) await model.turn(REQUEST).next();
  assert.equal(asked[0]!.url, "https://acme.test/deployments/d/turn?api-version=1&alt=sse");
  assert.equal(asked[0]!.body.cacheKey, asked[1]!.body.cacheKey);
  assert.equal(asked[0]!.headers.get("authorization"), null);
});

Deno.test("apiModel() has one budget of tries, whatever goes wrong", async () => {
  const run = await going([
    json({}, 529),
    stream(),
    new TypeError("fetch failed"),
    stream(),
    json({}, 500),
  ]);
  for (let n = 0; n < 5; n++) await run.clock.tick(8_000);
  assert.equal((await failureOf(run)).message, "no (500) (tried 5 times)");
  assert.equal(run.asked.length, 5);
});

Deno.test("apiModel() stops with the signal's reason, and the fetch hears of it", async () => {
  const reason = new Error("the user left");
  const feed = new Feed(event({ text: "Once" }), END);
  const moments: Answer[] = [silence, json({}, 529), eventStream(feed.stream)];
  for (const answer of moments) {
    const run = await going([answer]);
    run.leaving.abort(reason);
    await assert.rejects(run.turn, reason);
    assert.equal(run.clock.sleepers, 0);
    if (answer !== moments[1]) assert.equal(run.asked[0]!.signal.reason, reason);
  }
  assert.equal(feed.cancelled?.reason, reason);
  const early = await going([silence], { request: {} });
  early.leaving.abort(reason);
  await assert.rejects(early.turn, reason);
});

Deno.test("apiModel() leaves out the tools that the API refuses, each once, and says so", async () => {
  const refusal = (index: number) => json({ error: { message: "bad schema", tool: index } }, 400);
  const tools = ["a", "b", "c"].map(tool);
  const run = await going([refusal(1), refusal(1), stream({ text: "Hi" }, { end: true })], {
    request: { tools },
  });
  assert.equal((await run.turn).text, "Hi");
  assert.deepEqual(run.asked.map(({ body }) => body.tools), [["a", "b", "c"], ["a", "c"], ["a"]]);
  assert.deepEqual(run.notes, [
    "b is left out, for acme refused it (bad schema)",
    "c is left out, for acme refused it (bad schema)",
  ]);
});

Deno.test("apiModel() takes no more than eight refusals, and none of a tool that it did not offer", async () => {
  const refusal = json({ error: { message: "bad schema", tool: 7 } }, 400);
  const run = await going([refusal], { request: { tools: [tool("a")] } });
  assert.equal((await failureOf(run)).message, "bad schema");

  const many = Array.from({ length: 12 }, (_, n) => tool(`t${n}`));
  const answers = many.map(() => json({ error: { message: "bad schema", tool: 0 } }, 400));
  const picky = await going(answers, { request: { tools: many } });
  assert.equal((await failureOf(picky)).message, "bad schema");
  assert.equal(picky.asked.length, 9);
});

Deno.test("apiModel() remembers refused tools, and says what is held back once", async () => {
  const notes: string[] = [];
  const { fetch, asked } = scriptedFetch(
    json({ error: { tool: 0 } }, 400),
    stream({ end: true }),
    stream({ end: true }),
  );
  const model = apiModel({
    provider: "acme",
    model: "m",
    format: plain,
    baseUrl: "https://acme.test",
    fetch,
    clock: new FakeClock(),
    random: () => 0,
    stream: true,
  });
  const tools = ["a", "b", "c", "d", "e"].map(tool);
  for (let n = 0; n < 2; n++) {
    await model.turn({ ...REQUEST, tools, note: (line) => notes.push(line) }).next();
  }
  assert.deepEqual(asked.map(({ body }) => body.tools.join("")), ["abc", "bcd", "bcd"]);
  assert.deepEqual(notes, [
    "d is held back",
    "e is held back",
    "a is left out, for acme refused it (no (400))",
  ]);
});

Deno.test("apiModel() keeps the key out of every sentence", async () => {
  const cause = new Error(`cannot resolve: ${KEY}.acme.test`);
  const answers: Answer[] = [
    json({ error: { message: `Incorrect key: ${KEY}` } }, 401),
    json({ error: { message: `Incorrect key: ${KEY}` } }),
    stream({ error: `Incorrect key: ${KEY}` }),
    new TypeError("fetch failed", { cause }),
  ];
  for (const answer of answers) {
    const run = await going([answer], { retries: 0 });
    const error = await failureOf(run);
    assert.match(error.message, /\[key\]/);
    assert(!Deno.inspect(error).includes(KEY));
  }
  const refusal = json({ error: { message: `not for ${KEY}`, tool: 0 } }, 400);
  const run = await going([refusal, stream({ end: true })], { request: { tools: [tool("a")] } });
  assert.deepEqual(run.notes, ["a is left out, for acme refused it (not for [key])"]);

  const bearer = await going([json({ error: { message: "no tok-12345678" } }, 401)], {
    headers: { authorization: "Bearer tok-12345678" },
  });
  assert.equal((await failureOf(bearer)).message, "no [key]");
  const bad = await going([], { key: "sk-secret\nx" });
  const { message } = await failureOf(bad);
  assert.equal(message, 'Cannot ask acme: the header "authorization" can\'t be sent as it is');
});

Deno.test("modelNames() asks for the list with the key, and as patiently", async () => {
  const clock = new FakeClock();
  const { fetch, asked } = scriptedFetch(json({}, 503), json({ names: ["m-1", "m-2"] }));
  const options = { provider: "acme", format: plain, key: KEY, clock, random: () => 0 };
  const names = modelNames({ ...options, baseUrl: "https://acme.test/v1", fetch });
  await calm();
  await clock.tick(500);
  assert.deepEqual(await names, ["m-1", "m-2"]);
  assert.deepEqual([asked[1]!.method, asked[1]!.url], ["GET", "https://acme.test/v1/models"]);
  assert.equal(asked[1]!.headers.get("authorization"), `Bearer ${KEY}`);

  const { fetch: wrong } = scriptedFetch(json({ error: { message: `bad ${KEY}` } }, 401));
  const failed = modelNames({ ...options, baseUrl: "https://acme.test/v1", fetch: wrong });
  await assert.rejects(failed, new ModelError("bad [key]", { status: 401 }));
  const { fetch: odd } = scriptedFetch(json({}));
  await assert.rejects(
    modelNames({ ...options, baseUrl: "https://acme.test", fetch: odd }),
    ModelError,
  );
});
