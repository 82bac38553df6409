/** Results that were cut, read on page by page: of this run alone, and never a file by its path. */
import assert from "node:assert/strict";
import type { ToolResult } from "../../lib/protocol/tools.ts";
import { type KeptOptions, KeptResults } from "../../lib/tools/kept.ts";
import { type MemoryDrop, memoryDrop } from "../support/drop.ts";

const text = ({ content }: ToolResult) => content.map((part) => part.text).join("");

async function keeping(
  results: string[],
  options: KeptOptions = {},
): Promise<{ kept: KeptResults; drop: MemoryDrop }> {
  const drop = memoryDrop();
  const kept = new KeptResults(() => Promise.resolve(drop), options);
  for (const result of results) await kept.keep("a.t", result);
  return { kept, drop };
}

const LINES = Array.from({ length: 100 }, (_, n) => `line ${n + 1}\n`).join("");

Deno.test("read() goes from page to page, and says where it is and how to go on", async () => {
  const { kept } = await keeping([LINES], { pageChars: 300 });
  let [whole, offset, pages] = ["", 0, 0];
  while (true) {
    const page = await kept.read({ result: "r1", offset });
    assert.equal(page.isError, false);
    assert(text(page).length <= 300);
    whole += text(page);
    pages++;
    const [, next] = /it goes on at offset (\d+)$/.exec(page.notes![0]!) ?? [];
    if (next === undefined) {
      assert.match(page.notes![0]!, /to 792 of 792 of result r1, from a\.t; that is its end$/);
      break;
    }
    offset = Number(next);
  }
  assert.deepEqual([whole, pages], [LINES, 3]);
});

Deno.test("read() begins at a line, and at a character that is whole", async () => {
  const { kept } = await keeping([LINES, "👋".repeat(10)], { pageChars: 20 });
  assert.match(text(await kept.read({ result: "r1", line: 42 })), /^line 42\n/);
  assert.equal(text(await kept.read({ result: "r2", offset: 1 })), "👋".repeat(10));
  assert.equal(text(await kept.read({ result: "r2", offset: "18" })), "👋");
  assert.equal(text(await kept.read({ result: "r2", offset: 20 })), "");
});

Deno.test("read() says what is wrong with a place that is none", async () => {
  const { kept } = await keeping([LINES]);
  const wrong: [Record<string, unknown>, RegExp][] = [
    [{ offset: -1 }, /offset has to be a number from 0/],
    [{ offset: "x" }, /offset has to be/],
    [{ offset: 1.5 }, /offset has to be/],
    [{ offset: 5_000 }, /it ends at offset 792/],
    [{ line: 0 }, /line has to be a number from 1/],
    [{ line: 5_000 }, /it has 101 lines/],
    [{ offset: { a: 1 } }, /offset has to be/],
    [{ offset: { toString: 1, valueOf: 1 } }, /offset has to be/],
    [{ line: { toString: 1, valueOf: 1 } }, /line has to be/],
    [{ result: { toString: 1 } }, /No result is called "\{"toString":1\}"/],
  ];
  for (const [place, why] of wrong) {
    const result = await kept.read({ result: "r1", ...place });
    assert.equal(result.isError, true);
    assert.match(text(result), why);
  }
});

Deno.test("read() finds where a text stands, in any case of letters and as no pattern", async () => {
  const body = "x\n".repeat(500) + "  ERROR: disk (full)\n" + "y\n".repeat(500) +
    "error: DISK (FULL) again";
  const { kept } = await keeping([body]);
  const found = await kept.read({ result: "r1", search: "disk (full)" });
  assert.equal(
    text(found),
    "offset 1009, line 501: ERROR: disk (full)\noffset 2028, line 1002: error: DISK (FULL) again",
  );
  assert.deepEqual(found.notes, ["found 2 times"]);
  const later = await kept.read({ result: "r1", search: "disk (full)", offset: 1_500 });
  assert.match(text(later), /^offset 2028/);
  assert.match(text(await kept.read({ result: "r1", search: "(x|y)+" })), /does not stand there/);
});

Deno.test("read() bounds what it finds, and says where to go on", async () => {
  const { kept } = await keeping(["needle ".repeat(1_000) + "hay".repeat(100_000)]);
  const found = await kept.read({ result: "r1", search: "needle" });
  assert.equal(text(found).split("\n").length, 20);
  assert(text(found).length < 20_000);
  assert.deepEqual(found.notes, ["found 1,000 times; those shown end before offset 140"]);
  const long = await kept.read({ result: "r1", search: "x".repeat(1_000) });
  assert.deepEqual([long.isError, text(long).includes("200 characters")], [true, true]);
});

Deno.test("read() knows results of this run by their names, and no file", async () => {
  const { kept, drop } = await keeping(["one", "two"]);
  await drop.put("secret.txt", new TextEncoder().encode("secret"));
  for (
    const result of ["r3", "", undefined, null, 7, "secret", "../r1", "/drop/r1.txt", "r1.txt", {}]
  ) {
    const read = await kept.read({ result });
    assert.equal(read.isError, true, String(result));
    assert.match(text(read), /There are: r1 \(a\.t\), r2 \(a\.t\)/);
  }
  const empty = (await keeping([])).kept;
  assert.match(text(await empty.read({ result: "r1" })), /none was kept/);
});

Deno.test("read() says that a file is gone, and takes what stands in it for a stranger's", async () => {
  const { kept, drop } = await keeping(["one", "two"]);
  delete drop.bytes["r1.txt"];
  const gone = await kept.read({ result: "r1" });
  assert.deepEqual([gone.isError, text(gone)], [
    true,
    "Cannot read result r1: its file is not there any more",
  ]);
  drop.bytes["r2.txt"] = new TextEncoder().encode("\u001b[31mother\u{e0041}");
  assert.equal(text(await kept.read({ result: "r2" })), "other");
});

Deno.test("keep() bounds a run, says why it can't keep more, and opens no folder before it must", async () => {
  let opened = 0;
  const drop = memoryDrop();
  const kept = new KeptResults(() => (opened++, Promise.resolve(drop)), { maxBytes: 10_000 });
  assert.deepEqual([kept.isEmpty, opened], [true, 0]);
  assert("path" in await kept.keep("a.t", "é".repeat(3_000)));
  assert.deepEqual(await kept.keep("a.t", "è".repeat(3_000)), {
    why: "a run keeps 10 kB at the most",
  });
  assert("path" in await kept.keep("a.t", "small"));
  assert.deepEqual([kept.isEmpty, opened, Object.keys(drop.bytes)], [false, 1, [
    "r1.txt",
    "r2.txt",
  ]]);
});

Deno.test("keep() keeps the same text once, under one name", async () => {
  const { kept, drop } = await keeping(["same", "other", "same"]);
  assert.deepEqual(Object.keys(drop.bytes), ["r1.txt", "r2.txt"]);
  assert.deepEqual(await kept.keep("b.t", "same"), { id: "r1", of: "a.t", path: "/drop/r1.txt" });
});

Deno.test("keep() tries again where a disk was full", async () => {
  const drop = memoryDrop();
  let isFull = true;
  const kept = new KeptResults(() =>
    isFull ? Promise.reject(new Error("No space left on device")) : Promise.resolve(drop)
  );
  assert.deepEqual(await kept.keep("a.t", "x"), { why: "No space left on device" });
  assert.equal(kept.isEmpty, true);
  isFull = false;
  const next = await kept.keep("a.t", "y");
  assert("id" in next);
  assert.equal(text(await kept.read({ result: next.id })), "y");
});

Deno.test("keep() writes nothing that is hidden into its files", async () => {
  const drop = memoryDrop();
  const hide = (text: string) => text.replaceAll("hunter2", "[hidden]");
  const kept = new KeptResults(() => Promise.resolve(drop), { hide });
  await kept.keep("a.t", "token=hunter2");
  assert.equal(drop.texts["r1.txt"], "token=[hidden]");
});
