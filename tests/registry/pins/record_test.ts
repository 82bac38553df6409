/** What is pinned as a text: read as it was written, merged without loss, believed only when it is whole. */
import assert from "node:assert/strict";
import { Secrets } from "../../../lib/kit/secrets.ts";
import type { ToolInfo } from "../../../lib/protocol/types.ts";
import type { Pin, Pinned } from "../../../lib/registry/pins.ts";
import { FORMAT, merge, NOTHING, read, write } from "../../../lib/registry/pins/record.ts";
import { Texts } from "../../../lib/registry/pins/texts.ts";

const info = (name: string, description = "Does it."): ToolInfo => ({
  name,
  description,
  inputSchema: { type: "object" },
});
const pin = (hash: string, more: Partial<Pin> = {}): Pin => ({
  hash,
  at: 1,
  turn: 0,
  former: [],
  ...more,
});
const pinned = (pins: Record<string, Pin>, more: Partial<Pinned> = {}): Pinned => ({
  ...NOTHING,
  pins: new Map(Object.entries(pins)),
  ...more,
});
const flat = ({ pins, waiting }: Pinned) => [Object.fromEntries(pins), Object.fromEntries(waiting)];

const FULL: Pinned = {
  pins: new Map([
    ["__proto__", pin("h1")],
    ["b\n\u2028", pin("h2", { turn: 2, former: ["h0", "h9"], became: "c" })],
  ]),
  waiting: new Map([["c", { hash: "h3", at: 5, was: "b" }], ["__proto__", { hash: "h4", at: 6 }]]),
  texts: new Texts().plus(
    new Map([["h1", info("__proto__")], ["h3", info("c")], ["unused", info("x")]]),
  ),
};

Deno.test("read() gives back what write() wrote, and of the tools those that are wanted", () => {
  const text = write(FULL, new Secrets());
  const back = read(text) as Pinned;
  assert.deepEqual([...back.pins], [...FULL.pins]);
  assert.deepEqual([...back.waiting], [...FULL.waiting]);
  assert.deepEqual(back.texts.get("h1")!.tool, info("__proto__"));
  assert.equal(back.texts.get("h3")!.tool.name, "c");
  assert.equal(back.texts.get("unused"), undefined);
  assert.equal(text.match(/\n/g)!.length, 2);
});

Deno.test("read() believes nothing that is not whole", () => {
  const text = write(FULL, new Secrets());
  for (let length = 0; length < text.length; length += 7) {
    assert("why" in read(text.slice(0, length)), String(length));
  }
  const odd = [
    "null\n[]\n",
    "{}\n[]\n",
    '{"pins":1,"known":{},"waiting":[]}\n[]\n',
    text + "x",
    text + "\n",
  ];
  const wrong = [
    text.replace('"h1"', "7"),
    text.replace('"h0"', "{}"),
    text.replace(/"h1",\d+/, '"h1",1e300'),
    text.replace('["c","h3"', '[["c"],"h3"'),
  ];
  for (const each of [...odd, ...wrong]) {
    assert.deepEqual(read(each), { why: "the file is damaged" }, each.slice(0, 60));
  }
  const later = text.replace(`"pins":${FORMAT}`, `"pins":${FORMAT + 1}`);
  assert.match((read(later) as { why: string }).why, /another version of fusebox/);
});

Deno.test("read() of tools that can't be read still knows what was pinned", () => {
  const [head] = write(FULL, new Secrets()).split("\n");
  for (const rest of ["{", "[1, [2], [null, {}]]", '[["h1", {"name": 1}]]']) {
    const back = read(`${head}\n${rest}\n`) as Pinned;
    assert.equal(back.pins.size, 2);
    assert.equal(back.texts.get("h1"), undefined);
  }
});

Deno.test("write() keeps large tools in part, and says so", () => {
  const huge = {
    ...info("huge", "d".repeat(50_000)),
    outputSchema: { enum: ["o".repeat(30_000)] },
  };
  const texts = new Texts().plus(new Map([["h", huge], ["small", info("small")]]));
  const text = write(pinned({ huge: pin("h"), small: pin("small") }, { texts }), new Secrets());
  assert(text.length < 10_000);
  const back = (read(text) as Pinned).texts;
  assert.equal(back.get("h")!.isCut, true);
  assert.equal(back.get("h")!.tool.outputSchema, undefined);
  assert.equal(back.get("small")!.isCut, undefined);
});

Deno.test("write() keeps every hash, and tools only as far as there is room", () => {
  const tools = Array.from({ length: 400 }, (_, at) => info(`t${at}`, "d".repeat(30_000)));
  const texts = new Texts().plus(new Map(tools.map((tool) => [tool.name, tool])));
  const all = pinned(Object.fromEntries(tools.map(({ name }) => [name, pin(name)])), {
    texts,
    waiting: new Map([["late", { hash: "t399", at: 1 }]]),
  });
  const text = write(all, new Secrets());
  assert(text.length < 8_200_000, String(text.length));
  const back = read(text) as Pinned;
  assert.equal(back.pins.size, 400);
  assert(back.texts.get("t399"), "what waits comes first");
});

Deno.test("write() leaves out every secret", () => {
  const texts = new Texts().plus(new Map([["h", info("t", "Uses tok-123456 for you.")]]));
  const text = write(pinned({ t: pin("h") }, { texts }), new Secrets(["tok-123456"]));
  assert(!text.includes("tok-123456") && text.includes("Uses [hidden] for you."));
});

Deno.test("merge() loses nothing of two writers, whichever is named first", () => {
  const a = pinned({ one: pin("h1"), both: pin("x", { at: 3 }) }, {
    waiting: new Map([["w", { hash: "old", at: 1 }], ["one", { hash: "h9", at: 2 }]]),
  });
  const b = pinned({ two: pin("h2", { became: "three" }), both: pin("y", { at: 4 }) }, {
    waiting: new Map([["w", { hash: "new", at: 2 }]]),
  });
  const merged = merge(a, b);
  assert.deepEqual(flat(merged), flat(merge(b, a)));
  assert.deepEqual([...merged.pins.keys()].sort(), ["both", "one", "two"]);
  assert.equal(merged.pins.get("both")!.hash, "x", "first sight is the earlier one");
  assert.equal(merged.waiting.get("w")!.hash, "new");
  assert.equal(merged.waiting.get("one")!.hash, "h9");
});

Deno.test("merge() lets what was accepted stand, and has it wait no more", () => {
  const stale = pinned({ t: pin("v1") }, { waiting: new Map([["t", { hash: "v2", at: 5 }]]) });
  const accepted = pinned({ t: pin("v2", { at: 6, turn: 1, former: ["v1"] }) });
  const later = pinned({ t: pin("v3", { at: 9, turn: 1 }) });
  for (const merged of [merge(stale, accepted), merge(accepted, stale)]) {
    assert.equal(merged.pins.get("t")!.hash, "v2");
    assert.equal(merged.waiting.size, 0);
  }
  for (const merged of [merge(later, accepted), merge(accepted, later)]) {
    assert.equal(merged.pins.get("t")!.hash, "v3", "of two acceptances the later one");
  }
  const same = [pin("a", { at: 1 }), pin("b", { at: 1 })].map((it) => pinned({ t: it }));
  assert.deepEqual(flat(merge(same[0]!, same[1]!)), flat(merge(same[1]!, same[0]!)));
  const heir = merge(
    pinned({ t: pin("a", { became: "u" }) }),
    pinned({ t: pin("a", { turn: 1 }) }),
  );
  assert.equal(heir.pins.get("t")!.became, "u");
});
