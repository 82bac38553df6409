import assert from "node:assert/strict";
import { idAtEnds, type Line, Lines } from "../../lib/transport/lines.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** The lines of `data`, given in chunks of `size` bytes. */
function split(data: Uint8Array, size: number, cap = 1 << 20): Line[] {
  const lines = new Lines(cap);
  const found: Line[] = [];
  for (let at = 0; at < data.length; at += size) {
    found.push(...lines.push(data.slice(at, at + size)));
  }
  return [...found, ...lines.end()];
}

const texts = (lines: Line[]) => lines.map((line) => line.kind === "line" ? line.text : line.kind);

for (const size of [1, 2, 3, 7, 1000]) {
  Deno.test(`Lines gives the same lines in chunks of ${size} bytes`, () => {
    const data = bytes('{"a":"grüße 👋"}\n\r\n{"b":2}\r\n\n漢字\nlast');
    assert.deepEqual(texts(split(data, size)), [
      '{"a":"grüße 👋"}',
      "\r",
      '{"b":2}\r',
      "",
      "漢字",
      "last",
    ]);
  });

  Deno.test(`Lines turns invalid UTF-8 into U+FFFD in chunks of ${size} bytes, and goes on`, () => {
    const data = new Uint8Array([...bytes("a"), 0xff, 0xc3, 10, ...bytes("b\n")]);
    assert.deepEqual(texts(split(data, size)), ["a\ufffd\ufffd", "b"]);
  });

  Deno.test(`Lines drops a line over the cap in chunks of ${size} bytes, but for its ends`, () => {
    const big = "x".repeat(5000);
    const [first, second, third] = split(
      bytes(`ok\n{"id":7,"r":"${big}","z":1}\nend\n`),
      size,
      4096,
    );
    assert.deepEqual([first, third], [{ kind: "line", text: "ok" }, { kind: "line", text: "end" }]);
    assert(second?.kind === "oversized");
    assert.equal(second.bytes, 5000 + '{"id":7,"r":"","z":1}'.length);
    assert.equal(idAtEnds(second.head, second.tail), 7);
    assert(second.head.length <= 1024 && second.tail.length <= 1024);
  });
}

Deno.test("Lines keeps no more than the two ends of a line that never ends", () => {
  const lines = new Lines(1024);
  const chunk = new Uint8Array(65_536).fill(120);
  for (let n = 0; n < 2_000; n++) assert.deepEqual([...lines.push(chunk)], []);
  const [line] = lines.end();
  assert(line?.kind === "oversized" && line.bytes === 2_000 * 65_536);
});

Deno.test("idAtEnds() finds an id at either end, and none in the middle", () => {
  const cases: [string, string, number | string | undefined][] = [
    ['{"jsonrpc":"2.0","id":3,"result":{', "}}", 3],
    ['{ "id" : "a\\"b" , "result"', "}}", 'a"b'],
    ['{"result":{"id":9,"x":1', '},"jsonrpc":"2.0","id":4}', 4],
    ['{"result":{', '},"id":5,"jsonrpc":"2.0"}\r', 5],
    ['{"result":{"id":9,"x":1', '"id":9}}', undefined],
    ['{"method":"x","params":{"id":1,', "}}", undefined],
  ];
  for (const [head, tail, id] of cases) assert.equal(idAtEnds(head, tail), id, head);
});
