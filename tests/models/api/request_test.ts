import assert from "node:assert/strict";
import { ModelError } from "../../../lib/models/model.ts";
import {
  jsonBody,
  type Outgoing,
  request,
  type RequestOptions,
} from "../../../lib/models/api/request.ts";
import { backOffMs, isPassing, retryAfterMs } from "../../../lib/models/api/retries.ts";
import type { ErrorResponse, Failure } from "../../../lib/models/wire.ts";
import { FakeClock } from "../../support/clock.ts";
import {
  type Answer,
  type Asked,
  calm,
  Feed,
  json,
  scriptedFetch,
  silence,
} from "../../support/fetch.ts";

const OUTGOING: Outgoing = {
  url: "https://api.acme.test/v1/chat",
  headers: new Headers({ authorization: "Bearer sk-secret" }),
  body: '{"a":1}',
};

function explain({ status, body }: ErrorResponse): Failure {
  const said = typeof body === "object" ? (body as { error?: Partial<Failure> })?.error : {};
  return { message: `acme said ${status}`, retryable: isPassing(status), ...said };
}

interface Going {
  clock: FakeClock;
  asked: Asked[];
  notes: string[];
  response: Promise<Response>;
  leaving: AbortController;
}

/** Asks, and lets everything happen that takes no time. */
async function going(answers: Answer[], options: Partial<RequestOptions> = {}): Promise<Going> {
  const clock = new FakeClock(Date.parse("2026-11-20T12:00:00Z"));
  const { fetch, asked } = scriptedFetch(...answers);
  const notes: string[] = [];
  const leaving = new AbortController();
  const answered = request(OUTGOING, {
    provider: "acme",
    fetch,
    clock,
    random: () => 0,
    explain,
    note: (line) => notes.push(line),
    ...options,
  }, leaving.signal);
  const response = answered.then((answer) => {
    answer[Symbol.dispose]();
    return answer.response;
  });
  response.catch(() => {});
  await calm();
  return { clock, asked, notes, response, leaving };
}

async function failureOf(response: Promise<Response>): Promise<ModelError> {
  const error = await response.then(() => undefined, (error) => error);
  assert(error instanceof ModelError, String(error));
  return error;
}

const OK = () => json({ ok: true });
const retryAfter = (headers: Record<string, string>) =>
  retryAfterMs(new Headers(headers), 1_000_000);

Deno.test("request() posts JSON and gives the answer with its body", async () => {
  const { response, asked, clock } = await going([OK()]);
  assert.deepEqual(await (await response).json(), { ok: true });
  assert.equal(asked[0]!.method, "POST");
  assert.deepEqual(asked[0]!.body, { a: 1 });
  assert.equal(asked[0]!.headers.get("authorization"), "Bearer sk-secret");
  assert.equal(clock.sleepers, 0);
});

for (const status of [408, 409, 429, 500, 502, 503, 504, 529]) {
  Deno.test(`request() tries again after a ${status}, and says so`, async () => {
    const { response, asked, clock, notes } = await going([json({}, status), OK()]);
    assert.equal(asked.length, 1);
    await clock.tick(499);
    assert.equal(asked.length, 1);
    await clock.tick(1);
    assert.equal((await response).status, 200);
    assert.equal(asked.length, 2);
    assert.match(
      notes.join(),
      new RegExp(`^acme [a-z ]+ \\(${status}\\); trying again in 0\\.5s$`),
    );
    await (await response).body?.cancel();
  });
}

for (const status of [400, 401, 402, 403, 404, 413, 422]) {
  Deno.test(`request() takes a ${status} for an answer`, async () => {
    const { response, asked, notes } = await going([json({}, status)]);
    const error = await failureOf(response);
    assert.deepEqual([error.message, error.status, error.retryable], [
      `acme said ${status}`,
      status,
      false,
    ]);
    assert.deepEqual([asked.length, notes], [1, []]);
  });
}

Deno.test("request() waits 0.5, 1, 2 and 4 seconds and then gives up, saying how often it tried", async () => {
  const { response, clock, asked, notes } = await going(
    Array.from({ length: 5 }, () => json({}, 529)),
  );
  for (const ms of [500, 1_000, 2_000, 4_000]) {
    const before = asked.length;
    await clock.tick(ms - 1);
    await calm();
    assert.equal(asked.length, before);
    await clock.tick(1);
    await calm();
    assert.equal(asked.length, before + 1);
  }
  assert.equal((await failureOf(response)).message, "acme said 529 (tried 5 times)");
  assert.equal(notes.at(-1), "acme is overloaded (529); trying again in 4.0s");
  assert.equal(clock.sleepers, 0);
});

Deno.test("request() tries as often as it is told to", async () => {
  const { response, asked } = await going([json({}, 500)], { retries: 0 });
  assert.equal((await failureOf(response)).message, "acme said 500");
  assert.equal(asked.length, 1);
});

Deno.test("backOffMs() doubles up to 8 seconds, less up to a quarter", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 50].map((made) => backOffMs(made, 0)), [
    ...[500, 1_000, 2_000, 4_000],
    ...[8_000, 8_000, 8_000],
  ]);
  assert.equal(backOffMs(0, 1), 375);
});

Deno.test("retryAfterMs() reads milliseconds, seconds and dates, and nothing that is past", () => {
  assert.equal(retryAfter({ "retry-after-ms": "12.5", "retry-after": "9" }), 12.5);
  assert.equal(retryAfter({ "retry-after-ms": "soon", "retry-after": "9" }), 9_000);
  assert.equal(retryAfter({ "retry-after": "1.5" }), 1_500);
  assert.equal(retryAfter({ "retry-after": new Date(1_030_000).toUTCString() }), 30_000);
  for (const value of ["0", "-3", "", "soon", "Infinity", new Date(900_000).toUTCString()]) {
    assert.equal(retryAfter({ "retry-after": value }), undefined, value);
  }
  assert.equal(retryAfter({}), undefined);
});

Deno.test("request() waits as long as the API asks", async () => {
  const cases: [Answer, number][] = [
    [json({}, 429, { "retry-after": "7" }), 7_000],
    [json({}, 429, { "retry-after-ms": "20" }), 20],
    [json({}, 429, { "retry-after": "Fri, 20 Nov 2026 12:00:30 GMT" }), 30_000],
    [json({}, 429, { "retry-after": "Fri, 20 Nov 2026 11:00:00 GMT" }), 500],
    [json({ error: { retryAfterMs: 48_000 } }, 429), 48_000],
    [json({ error: { retryAfterMs: 48_000 } }, 429, { "retry-after": "3" }), 3_000],
  ];
  for (const [answer, ms] of cases) {
    const { response, clock, asked } = await going([answer, OK()]);
    await clock.tick(ms - 1);
    assert.equal(asked.length, 1);
    await clock.tick(1);
    await (await response).body?.cancel();
  }
});

Deno.test("request() gives up a wait of more than a minute, and says how long it would be", async () => {
  const { response, asked, notes } = await going([json({}, 429, { "retry-after": "200" })]);
  const error = await failureOf(response);
  assert.equal(error.message, "acme said 429; acme asks to wait 3m20s, and we wait 1m");
  assert.equal(error.hint, "Try again in 3m20s.");
  assert.deepEqual([error.status, asked.length, notes], [429, 1, []]);
});

Deno.test("request() heeds x-should-retry, but never repeats what the format knows to be final", async () => {
  const quota = { error: { retryable: false } };
  const cases: [Answer, number][] = [
    [json({}, 500, { "x-should-retry": "false" }), 1],
    [json({}, 400, { "x-should-retry": "true" }), 2],
    [json(quota, 429), 1],
    [json(quota, 429, { "x-should-retry": "true" }), 1],
  ];
  for (const [answer, tries] of cases) {
    const { response, clock, asked } = await going([answer, OK()]);
    await clock.tick(500);
    assert.equal(asked.length, tries);
    await response.then((ok) => ok.body?.cancel(), () => {});
  }
});

Deno.test("request() tries twice more when nobody can be reached, and names the host alone", async () => {
  const refused = new TypeError("fetch failed", {
    cause: new Error(
      "error sending request for url (https://api.acme.test/v1?k=sk-secret): client error (Connect): " +
        "tcp connect error: Connection refused (os error 111)",
    ),
  });
  const { response, clock, notes } = await going([refused, refused, refused]);
  await clock.tick(500);
  await clock.tick(1_000);
  const error = await failureOf(response);
  assert.equal(
    error.message,
    "Cannot reach acme at api.acme.test: Connection refused (tried 3 times)",
  );
  assert.deepEqual([error.status, error.retryable], [0, true]);
  assert.equal(notes[0], "acme can't be reached; trying again in 0.5s");
});

Deno.test("request() gives up headers that never come, tells the fetch, and tries again", async () => {
  const { response, clock, asked, notes } = await going([silence, OK()], { headersMs: 60_000 });
  await clock.tick(60_000);
  assert(asked[0]!.signal.aborted);
  assert.deepEqual(notes, ["acme did not answer within 1m; trying again in 0.5s"]);
  await clock.tick(500);
  await (await response).body?.cancel();
});

Deno.test("request() leaves a fetch that heeds no signal, and lets go of what it brings too late", async () => {
  const late = Promise.withResolvers<Response>();
  const { response, leaving } = await going([() => late.promise]);
  leaving.abort(new Error("the user left"));
  await assert.rejects(response, /the user left/);
  const feed = new Feed("data: x");
  late.resolve(new Response(feed.stream));
  await calm();
  assert(feed.cancelled);
});

Deno.test("request() passes the signal's reason on, at every moment", async () => {
  const reason = new Error("the user left");
  const before = new AbortController();
  before.abort(reason);
  const { fetch, asked } = scriptedFetch();
  const options = { provider: "acme", fetch, clock: new FakeClock(), random: () => 0, explain };
  await assert.rejects(request(OUTGOING, options, before.signal), reason);
  assert.equal(asked.length, 0);

  const asking = await going([silence]);
  asking.leaving.abort(reason);
  await assert.rejects(asking.response, reason);
  assert.equal(asking.asked[0]!.signal.reason, reason);

  const waiting = await going([json({}, 529)]);
  waiting.leaving.abort(reason);
  await assert.rejects(waiting.response, reason);

  const feed = new Feed("half an err");
  const reading = await going([new Response(feed.stream, { status: 500 })]);
  reading.leaving.abort(reason);
  await assert.rejects(reading.response, reason);
  assert(feed.cancelled);
  for (const { clock } of [asking, waiting, reading]) assert.equal(clock.sleepers, 0);
});

Deno.test("request() does not wait for the end of an error's body", async () => {
  const feed = new Feed("half an err");
  const { response, clock } = await going([new Response(feed.stream, { status: 400 })]);
  await clock.tick(10_000);
  assert.equal((await failureOf(response)).message, "acme said 400");
  assert(feed.cancelled);

  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(120)),
  });
  const long = await going([new Response(endless, { status: 400 })]);
  assert.equal((await failureOf(long.response)).status, 400);
});

Deno.test("request() gives the format JSON as JSON, text as text, and of a web page its title", async () => {
  const bodies: unknown[] = [];
  const seen = (response: ErrorResponse) => {
    bodies.push(response.body);
    return explain(response);
  };
  const page =
    "<!doctype html><html><head><title>502 Bad Gateway</title></head><body>…</body></html>";
  for (const body of ['{"error":{}}', "upstream error", page, "<html></html>", ""]) {
    const { response } = await going([new Response(body, { status: 400 })], { explain: seen });
    await failureOf(response);
  }
  assert.deepEqual(bodies, [{ error: {} }, "upstream error", "502 Bad Gateway", "", ""]);
});

Deno.test("request() follows no redirect: the key would go along", async () => {
  const headers = { location: "/v2/chat?key=sk-secret" };
  const { response, asked } = await going([new Response(null, { status: 308, headers })]);
  const { message, hint } = await failureOf(response);
  assert.equal(
    message,
    "Cannot reach acme at api.acme.test: it sends us elsewhere (308, to https://api.acme.test/v2/chat)",
  );
  assert.equal(hint, "Set the base URL to where the API is.");
  assert.equal(asked.length, 1);
});

Deno.test("request() takes an answer without a body for a failure", async () => {
  const { response, clock, notes } = await going([new Response(null, { status: 204 }), OK()]);
  await clock.tick(500);
  await (await response).body?.cancel();
  assert.deepEqual(notes, ["acme answered nothing; trying again in 0.5s"]);
});

Deno.test("jsonBody() writes no half of a surrogate pair, and leaves a backslash in prose alone", () => {
  const value = { whole: "👋", half: "a\ud83d", low: "\udc4bb", prose: "\\ud83d \\\\ud83d \n" };
  assert.deepEqual(JSON.parse(jsonBody(value)), { ...value, half: "a\ufffd", low: "\ufffdb" });
  assert.equal(jsonBody({ a: 1 }), '{"a":1}');
});
