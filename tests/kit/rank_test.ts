import assert from "node:assert/strict";
import { type RankDoc, rankIndex, stem, words } from "../../lib/kit/rank.ts";

function docs(texts: Record<string, string>): RankDoc[] {
  return Object.entries(texts).map(([id, text]) => ({ id, fields: [{ text, weight: 1 }] }));
}

function ids(found: readonly { id: string }[]): string[] {
  return found.map(({ id }) => id);
}

Deno.test("words() splits identifiers and keeps the compound of a camel-cased one", () => {
  assert.deepEqual(words("read_note list-files"), ["read", "note", "list", "file"]);
  assert.deepEqual(words("GitHub"), ["git", "hub", "github"]);
  assert.deepEqual(words("HTTPServer2"), ["http", "server", "2", "httpserver2"]);
  assert.deepEqual(words("README"), ["readme"]);
});

Deno.test("words() folds case, accents and plurals, in any script", () => {
  assert.deepEqual(words("Café RÉSUMÉS"), ["cafe", "resume"]);
  assert.deepEqual(words("Ёлка"), words("елка"));
  assert.deepEqual(words("!? — …"), []);
  assert.deepEqual(words(""), []);
});

Deno.test("words() segments what is written without spaces", () => {
  assert.deepEqual(words("搜索笔记"), ["搜索", "笔记"]);
  assert.ok(words("ノートを検索").includes("検索"));
});

Deno.test("words() cuts a word that is no word", () => {
  assert.equal(words("x".repeat(5000))[0]!.length, 64);
});

Deno.test("stem() makes plurals and singulars meet", () => {
  const pairs = [
    ["notes", "note"],
    ["queries", "query"],
    ["movies", "movie"],
    ["boxes", "box"],
    ["addresses", "address"],
    ["echoes", "echo"],
  ] as const;
  for (const [many, one] of pairs) assert.equal(stem(many), stem(one), many);
  for (const word of ["status", "analysis", "class", "gas", "is"]) assert.equal(stem(word), word);
});

Deno.test("rankIndex() finds by any field and weighs the weightier higher", () => {
  const index = rankIndex([
    { id: "a", fields: [{ text: "note", weight: 3 }, { text: "reads a thing", weight: 1 }] },
    { id: "b", fields: [{ text: "thing", weight: 3 }, { text: "reads a note", weight: 1 }] },
    { id: "c", fields: [{ text: "other", weight: 3 }] },
  ]);
  assert.deepEqual(ids(index.search("notes", 10)), ["a", "b"]);
  assert.deepEqual(ids(index.search("things", 10)), ["b", "a"]);
  assert.deepEqual(index.search("nothing of this", 10), []);
  assert.deepEqual(index.search("", 10), []);
});

Deno.test("rankIndex() holds a rare word dearer than a common one", () => {
  const index = rankIndex(docs({ a: "file alpha", b: "file beta", c: "file gamma", d: "beta" }));
  assert.deepEqual(ids(index.search("file beta", 2)), ["b", "d"]);
});

Deno.test("rankIndex() orders equals by id, whatever order they came in", () => {
  const texts = { b: "same words", a: "same words", c: "same words" };
  const forward = rankIndex(docs(texts)).search("same", 10);
  const backward = rankIndex(docs(texts).reverse()).search("same", 10);
  assert.deepEqual(ids(forward), ["a", "b", "c"]);
  assert.deepEqual(forward, backward);
});

Deno.test("rankIndex() puts an exact name first and lifts one that begins with the query", () => {
  const doc = (id: string, name: string, text: string): RankDoc => ({
    id,
    name,
    fields: [{ text: name, weight: 1 }, { text, weight: 1 }],
  });
  const tools = [
    doc("1", "search", "one word"),
    doc("2", "search_files", "search search search search"),
    doc("3", "web_search", "search search search search"),
  ];
  assert.equal(rankIndex(tools).search("search", 3)[0]!.id, "1");
  assert.deepEqual(ids(rankIndex(tools).search("Search", 3)), ["1", "2", "3"]);
  assert.notEqual(rankIndex(tools, { boostNames: false }).search("search", 3)[0]!.id, "1");
});

Deno.test("rankIndex() finds a word by its beginning", () => {
  const index = rankIndex(docs({ a: "authenticate the user", b: "auth", c: "author of books" }));
  assert.equal(index.search("auth", 1)[0]!.id, "b");
  assert.deepEqual(ids(index.search("authen", 5)), ["a"]);
  assert.deepEqual(ids(index.search("au", 5)), []);
});

Deno.test("rankIndex() gives the same first ones for every limit", () => {
  const many = Array.from(
    { length: 500 },
    (_, i) => [`d${i}`, `word${i % 7} common ${"pad ".repeat(i % 5)}`],
  );
  const index = rankIndex(docs(Object.fromEntries(many)));
  const all = index.search("common word3", 500);
  assert.equal(all.length, 500);
  for (const limit of [0, 1, 10, 99, 100, 101]) {
    assert.deepEqual(index.search("common word3", limit), all.slice(0, limit));
  }
});

Deno.test("rankIndex() takes no documents, empty ones, and ids that objects are made of", () => {
  assert.deepEqual(rankIndex([]).search("x", 5), []);
  assert.deepEqual(rankIndex([{ id: "a", fields: [] }]).search("x", 5), []);
  const odd = rankIndex(
    docs({ ["__proto__x"]: "proto", constructor: "constructor hasOwnProperty" }),
  );
  assert.deepEqual(ids(odd.search("constructor", 5)), ["constructor"]);
  assert.deepEqual(odd.search("toString valueOf", 5), []);
});

Deno.test("rankIndex() indexes and searches 10,000 documents without being noticed", () => {
  const verbs = ["create", "read", "list", "search", "update", "delete"];
  const many = Array.from({ length: 10_000 }, (_, i): RankDoc => ({
    id: `t${i}`,
    name: `${verbs[i % 6]}_thing${i}`,
    fields: [
      { text: `${verbs[i % 6]}_thing${i}`, weight: 3 },
      {
        text: `${verbs[i % 6]}s the thing of kind k${i % 300} for the caller`.repeat(2),
        weight: 1,
      },
    ],
  }));
  const index = rankIndex(many);
  // A slip into quadratic time would be noticed by whoever waits for this test.
  for (let i = 0; i < 1_000; i++) {
    assert.equal(index.search(`${verbs[i % 6]} k${i % 300}`, 10).length, 10);
  }
});
