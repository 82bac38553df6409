import assert from "node:assert/strict";
import { hitsIn, isEmptyHanded, saidIn } from "../../../lib/models/offline/hits.ts";

function hits(text: string): unknown[] {
  return hitsIn([{ type: "text", text }]).map(({ text: _, ...parts }) => parts);
}

Deno.test("hitsIn() reads lists as people and servers write them", () => {
  assert.deepEqual(hits('2 notes match "x":\n\nn-1  Release checklist  [a, b]\nan excerpt of it'), [
    { id: "n-1", title: "Release checklist" },
  ]);
  assert.deepEqual(hits("- T-3: Screenshots (open)\n* **Bold one** – text\n1. Plain one"), [
    { id: "T-3", title: "Screenshots" },
    { title: "Bold one" },
    { title: "Plain one" },
  ]);
  assert.deepEqual(hits('Found "Ship it" (id: abc-9)'), [{ id: "abc-9", title: "Ship it" }]);
  assert.deepEqual(
    hits("[FILE] /tmp/a.txt\nhttps://example.com/x"),
    [
      { path: "/tmp/a.txt", title: "/tmp/a.txt" },
      { url: "https://example.com/x", title: "https://example.com/x" },
    ].map((each) => each),
  );
});

Deno.test("hitsIn() reads JSON at whatever depth, and resource links", () => {
  assert.deepEqual(hits('{"total":1,"notes":[{"id":7,"name":"A"},{"title":"B","x":{}}]}'), [
    { id: "7", title: "A" },
    { title: "B" },
  ]);
  assert.deepEqual(hits('["/a/b","plain"]'), [{ path: "/a/b" }, { title: "plain" }]);
  assert.deepEqual(
    hitsIn([{ type: "resource_link", uri: "file:///a", name: "A" }])[0],
    { url: "file:///a", title: "A", text: "A – file:///a" },
  );
});

Deno.test("hitsIn() finds nothing in prose, in nothing, and in an answer that there is nothing", () => {
  for (
    const text of [
      "",
      "The weather is fine.",
      'No note matches "x". The notes are called "A", "B".',
      "[]",
      "{broken",
    ]
  ) {
    assert.deepEqual(hits(text), [], text);
  }
});

Deno.test("isEmptyHanded() tells nothing found from something that says no", () => {
  for (
    const text of [
      "",
      "[]",
      "No ticket matches “x”.",
      "0 results",
      "Nothing found",
      "Sorry, no results found.",
      '{"total": 0, "items": []}',
    ]
  ) {
    assert.ok(isEmptyHanded([{ type: "text", text }]), text);
  }
  for (
    const text of [
      "Notes: none of them is long",
      "T-1  No more crashes",
      "Nobody was paged.",
      "10 results",
    ]
  ) {
    assert.ok(!isEmptyHanded([{ type: "text", text }]), text);
  }
});

Deno.test("saidIn() leaves out JSON that repeats the words, and puts JSON alone into words", () => {
  const part = (text: string) => ({ type: "text", text });
  assert.equal(saidIn([part("Created T-6."), part('{"id":"T-6"}')]), "Created T-6.");
  assert.equal(
    saidIn([part('{"temperature":36,"at":{"city":"Chicago","ok":true}}')]),
    "temperature: 36\nat: city: Chicago, ok: true",
  );
  assert.equal(saidIn([part('[{"a":1,"b":null},"c"]')]), "- a: 1, b: null\n- c");
  assert.equal(saidIn([part("[FILE] a")]), "[FILE] a");
  assert.equal(saidIn([]), "");
});
