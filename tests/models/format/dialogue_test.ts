import assert from "node:assert/strict";
import { dialogueOf, idOf } from "../../../lib/models/format/dialogue.ts";
import type { Message, ToolUse, UseResult } from "../../../lib/models/model.ts";

const use = (id: string): ToolUse => ({ id, name: `t${id}`, args: {} });
const asked = (...ids: string[]): Message => ({ role: "assistant", text: "", uses: ids.map(use) });
const said = (text: string): Message => ({ role: "assistant", text, uses: [] });
const user = (text: string): Message => ({ role: "user", text });
const gave = (...results: [id: string, text: string][]): Message => ({
  role: "tool",
  results: results.map(([id, text]): UseResult => ({
    id,
    name: `t${id}`,
    content: [{ type: "text", text }],
    isError: false,
  })),
});

/** `user`, `model`, and of results what each id was given. */
function outline(messages: readonly Message[]): string[] {
  return dialogueOf(messages).messages.map((message) =>
    message.role !== "tool"
      ? message.role
      : message.results.map(({ id, content }) => `${id}=${content[0]!.text}`).join(" ")
  );
}

Deno.test("dialogueOf() answers every use, in the order asked", () => {
  assert.deepEqual(outline([user("a"), asked("1", "2"), gave(["2", "b"], ["1", "a"]), said("x")]), [
    "user",
    "assistant",
    "1=a 2=b",
    "assistant",
  ]);
});

Deno.test("dialogueOf() fills a hole, wherever the run ended", () => {
  assert.deepEqual(outline([asked("1")]), ["assistant", "1=Not run."]);
  assert.deepEqual(outline([asked("1", "2"), gave(["2", "b"]), user("c")]), [
    "assistant",
    "1=Not run. 2=b",
    "user",
  ]);
  assert.deepEqual(outline([asked("1"), user("c"), gave(["1", "late"])]), [
    "assistant",
    "1=Not run.",
    "user",
  ]);
});

Deno.test("dialogueOf() leaves out results that nothing asked for, and silent turns", () => {
  assert.deepEqual(outline([gave(["1", "a"]), user("b"), said(""), gave(["2", "b"])]), ["user"]);
  assert.deepEqual(outline([asked("1"), gave(["9", "x"], ["1", "a"])]), ["assistant", "1=a"]);
  assert.deepEqual(outline([]), []);
});

Deno.test("dialogueOf() gives uses with one id the results in their order", () => {
  assert.deepEqual(outline([asked("1", "1"), gave(["1", "a"], ["1", "b"])]), [
    "assistant",
    "1=a 1=b",
  ]);
  assert.deepEqual(outline([asked("1"), gave(["1", "a"]), asked("1"), gave(["1", "b"])]), [
    "assistant",
    "1=a",
    "assistant",
    "1=b",
  ]);
});

Deno.test("dialogueOf() knows what is new to the model", () => {
  const fresh = (...messages: Message[]) => dialogueOf(messages).fresh;
  assert.equal(fresh(), 0);
  assert.equal(fresh(user("a"), user("b")), 0);
  assert.equal(fresh(user("a"), asked("1"), gave(["1", "x"])), 2);
  assert.equal(fresh(user("a"), said("b"), user("c")), 2);
  assert.equal(fresh(user("a"), said(""), user("c")), 1);
  assert.equal(dialogueOf([user("a"), said(""), asked("1")]).turns, 2);
});

Deno.test("idOf() makes ids of nine letters and digits that differ", () => {
  const ids = new Set<string>();
  for (const turn of [1, 2, 40, 9999]) for (const at of [0, 1, 35, 500]) ids.add(idOf(turn, at));
  assert.equal(ids.size, 16);
  for (const id of ids) assert.match(id, /^[a-z0-9]{9}$/);
});
