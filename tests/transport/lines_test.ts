import assert from "node:assert/strict";
import { idAtEnds, idOfUnreadable, type Line, Lines } from "../../lib/transport/lines.ts";

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

/** The same in one chunk, byte by byte, and in every size between. */
function alike(data: Uint8Array, cap?: number): void {
  // How much is kept of the ends of an oversized line may depend on the chunks.
  const seen = (size: number) =>
    split(data, size, cap).map((line) => line.kind === "line" ? line.text : line.bytes);
  const whole = seen(data.length);
  for (let size = 1; size < data.length; size++) {
    assert.deepEqual(seen(size), whole, `in chunks of ${size} bytes`);
  }
}

Deno.test("Lines gives the same lines whatever the chunks, a byte order mark before any of them", () => {
  // Not only at the very beginning: a banner may come first.
  alike(bytes('\ufeffready\n\ufeff{"a":1}\r\n\n\ufeff\n{"b":"\ufeff"}\n\ufeffend'));
});

Deno.test("Lines gives the same lines whatever the chunks, near the cap of characters of many bytes", () => {
  alike(
    bytes(`${"漢".repeat(40)}\n${"x".repeat(100)}\n${"x".repeat(101)}\n${"👋".repeat(25)}\n`),
    100,
  );
});

Deno.test("Lines gives the same lines whatever the chunks, of bytes that are no text", () => {
  const odd = [0xff, 0xfe, 0xc3, 0x28, 0xe2, 0x82, 0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x91, 0, 13];
  alike(new Uint8Array([...odd, 10, ...odd, ...odd, 10, 10, ...odd.toReversed(), 10, ...odd]));
});

Deno.test("Lines lets half a gigabyte without a newline go by in bounded memory", () => {
  const lines = new Lines(32 << 20);
  const before = Deno.memoryUsage().external;
  let most = 0;
  for (let n = 0; n < 8_000; n++) {
    // A chunk of its own each time, as from a pipe.
    assert.deepEqual([...lines.push(new Uint8Array(65_536).fill(120))], []);
    if (n % 100 === 0) most = Math.max(most, Deno.memoryUsage().external - before);
  }
  const [line] = lines.end();
  assert(line?.kind === "oversized" && line.bytes === 8_000 * 65_536);
  // Most of it is chunks that nobody holds and that were not collected yet; all would be 500 MiB.
  assert(most < 320 << 20, `${most} bytes`);
});

Deno.test("Lines keeps a line in about its own size, in however small pieces it comes", () => {
  const lines = new Lines(32 << 20);
  const held = () => Deno.memoryUsage().heapUsed + Deno.memoryUsage().external;
  const before = held();
  for (let n = 0; n < 1_000_000; n++) {
    for (const _ of lines.push(new Uint8Array([120]))) assert.fail("there is no line yet");
  }
  const used = held() - before;
  assert(used < 64 << 20, `${used} bytes are used for a line of 1,000,000`);
  const [line] = lines.push(bytes("\n"));
  assert(line?.kind === "line" && line.text.length === 1_000_000);
});

Deno.test("Lines gives 100,000 small lines in order, in one chunk and in many", () => {
  const count = 100_000;
  const data = bytes(Array.from({ length: count }, (_, n) => `{"n":${n}}\n`).join(""));
  for (const size of [data.length, 65_536, 13]) {
    let next = 0;
    const lines = new Lines(1 << 20);
    for (let at = 0; at < data.length; at += size) {
      for (const line of lines.push(data.subarray(at, at + size))) {
        if (line.kind !== "line" || line.text !== `{"n":${next++}}`) assert.fail(`at ${next}`);
      }
    }
    assert.equal(next, count);
  }
});

Deno.test("idAtEnds() finds an id at either end, and none in the middle", () => {
  const cases: [string, string, number | string | undefined][] = [
    ['{"jsonrpc":"2.0","id":3,"result":{', "}}", 3],
    ['{ "id" : "a\\"b" , "result"', "}}", 'a"b'],
    ['{"result":{"id":9,"x":1', '},"jsonrpc":"2.0","id":4}', 4],
    ['{"result":{', '},"id":5,"jsonrpc":"2.0"}\r', 5],
    ['{"result":{"id":9,"x":1', '"id":9}}', undefined],
    ['{"method":"x","params":{"id":1,', "}}", undefined],
    ['{"id":"a\u0001b","result":{', "}}", undefined],
    ['{"id":"a\\xb","result":{', "}}", undefined],
  ];
  for (const [head, tail, id] of cases) assert.equal(idAtEnds(head, tail), id, head);
});

Deno.test("idOfUnreadable() finds whom a line answers that begins and ends like a reply", () => {
  const cases: [string, number | string | undefined][] = [
    ['{"jsonrpc":"2.0","id":3,"result":{"n":NaN}}', 3],
    ['{"result":{"n":Infinity,"id":9},"jsonrpc":"2.0","id":4}\r', 4],
    [`{"id":5,"result":[${"[".repeat(5_000)}${"]".repeat(5_000)}]}`, 5],
    // What was cut off may be the log of an answer that is still to come.
    ['{"jsonrpc":"2.0","id":3,"result":{"text":"once upon a t', undefined],
    ['{"jsonrpc":"2.0","id":3,"result":{"text":"once upon a t…', undefined],
    ['{"id":3,"method":"tools/call","params":{"n":NaN}}', undefined],
    ['{"id":3,"level":"info","result":NaN}', undefined],
    ["[debug] {'id': 3}", undefined],
    ["", undefined],
  ];
  for (const [line, id] of cases) assert.equal(idOfUnreadable(line), id, line.slice(0, 80));
});
