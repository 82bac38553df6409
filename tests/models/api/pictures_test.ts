/** Pictures that an API does not take cost a request, and no turn. */
import assert from "node:assert/strict";
import type { Message } from "../../../lib/models/model.ts";
import { openaiChatFormat } from "../../../lib/models/openai_chat.ts";
import { type Answer, eventStream } from "../../support/fetch.ts";
import { apiModel } from "../../../lib/models/api.ts";
import { FakeClock } from "../../support/clock.ts";
import { json, scriptedFetch } from "../../support/fetch.ts";

const image = (data: string) => ({ type: "image", data: btoa(data), mimeType: "image/png" });

/** A conversation in which a call of each turn gave these pictures. */
function talk(...turns: ReturnType<typeof image>[][]): Message[] {
  return [
    { role: "user", text: "go" },
    ...turns.flatMap((content, n): Message[] => [
      { role: "assistant", text: "", uses: [{ id: `u${n}`, name: "shot", args: {} }] },
      { role: "tool", results: [{ id: `u${n}`, name: "shot", content, isError: false }] },
    ]),
  ];
}

const DONE: Answer = () =>
  eventStream(
    'data: {"choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}\n\n' +
      "data: [DONE]\n\n",
  );
const refusal = (message: string, status = 400): Answer => () =>
  json({ error: { message } }, status);

/** A model, what was asked of it, and what it noted. */
function seeing(...answers: Answer[]) {
  const { fetch, asked } = scriptedFetch(...answers);
  const notes: string[] = [];
  const model = apiModel({
    provider: "acme",
    model: "m",
    format: openaiChatFormat(),
    baseUrl: "https://acme.test",
    fetch,
    clock: new FakeClock(),
    random: () => 0,
    stream: true,
    retries: 0,
    note: (line) => notes.push(line),
  });
  const turn = async (messages: readonly Message[]) => {
    const events = model.turn({ system: "", messages, tools: [] });
    while (true) {
      const { value, done } = await events.next();
      if (done) return value.text;
    }
  };
  /** Which pictures each request held. */
  const held = () =>
    asked.map(({ body }) =>
      [...JSON.stringify(body).matchAll(/base64,([\w+/=]+)/g)].map(([, data]) => atob(data!)).join()
    );
  return { turn, held, notes, asked };
}

Deno.test("apiModel() asks again without a picture that was refused, and says so", async () => {
  const { turn, held, notes, asked } = seeing(refusal("Could not process image"), DONE);
  assert.equal(await turn(talk([image("bad")])), "Done.");
  assert.deepEqual(held(), ["bad", ""]);
  assert.deepEqual(notes, [
    "acme refused the request; asking again without an image or sound of results",
  ]);
  const body = JSON.stringify(asked[1]!.body);
  assert(body.includes("(image/png, 3 bytes; not shown: the model API refused it)"), body);
});

Deno.test("apiModel() keeps what was taken before, and never sends again what was refused", async () => {
  const { turn, held } = seeing(DONE, refusal("Invalid image"), DONE, DONE);
  const messages = talk([image("good")], [image("bad")]);
  await turn(messages.slice(0, 3));
  await turn(messages);
  await turn([...messages, ...talk([image("new")]).slice(1)]);
  assert.deepEqual(held(), ["good", "good,bad", "good", "good,new"]);
});

Deno.test("apiModel() shows no more pictures to a model that has refused two and taken none", async () => {
  const no = refusal("This model does not support image input", 404);
  const { turn, held } = seeing(no, DONE, no, DONE, DONE);
  const messages = talk([image("a")], [image("b")], [image("c")]);
  for (const end of [3, 5, 7]) await turn(messages.slice(0, end));
  assert.deepEqual(held(), ["a", "", "b", "", ""]);
});

Deno.test("apiModel() takes the word of a server of one's own that it has no eyes", async () => {
  const { turn } = seeing(refusal("image input is not supported - hint: mmproj", 500), DONE);
  assert.equal(await turn(talk([image("a")])), "Done.");
});

Deno.test("apiModel() blames no picture for what has another reason", async () => {
  for (
    const [message, status] of [["Incorrect key", 401], ["images per minute", 429], [
      "oops",
      500,
    ]] as const
  ) {
    const { turn, held } = seeing(refusal(message, status));
    await assert.rejects(turn(talk([image("a")])));
    assert.deepEqual(held(), ["a"], message);
  }
  const { turn, held } = seeing(refusal("no"), refusal("still no"));
  await assert.rejects(turn(talk([image("a")])), /still no/);
  assert.deepEqual(held(), ["a", ""]);
  const words = seeing(refusal("no"));
  await assert.rejects(words.turn([{ role: "user", text: "go" }]), /no/);
});

Deno.test("apiModel() leaves the user's own pictures to the user", async () => {
  const { turn, held } = seeing(refusal("Invalid image"));
  await assert.rejects(
    turn([{ role: "user", text: "go", parts: [image("mine")] }]),
    /Invalid image/,
  );
  assert.deepEqual(held(), ["mine"]);
});
