import assert from "node:assert/strict";
import {
  attachedParts,
  described,
  flagged,
  mediumOf,
  resultText,
} from "../../../lib/models/format/media.ts";

const image = (data: string, mimeType = "image/png") => ({ type: "image", mimeType, data });

Deno.test("mediumOf() reads words, bytes, and what is neither", () => {
  const cases: [Parameters<typeof mediumOf>[0], unknown][] = [
    [{ type: "text", text: "a" }, { kind: "text", text: "a" }],
    [{ type: "text" }, { kind: "text", text: "" }],
    [image("QU\nJD ", "IMAGE/JPG; x=1"), { kind: "image", mimeType: "image/jpeg", data: "QUJD" }],
    [{ type: "audio", mimeType: "audio/wav", data: "" }, {
      kind: "audio",
      mimeType: "audio/wav",
      data: "",
    }],
    [{ type: "image", mimeType: "image/png" }, {
      kind: "text",
      text: "(an image part without data)",
    }],
    [
      { type: "resource", resource: { uri: "C:\\a\\b.png", mimeType: "image/png", blob: "QUJD" } },
      { kind: "image", mimeType: "image/png", data: "QUJD", name: "b.png" },
    ],
    [
      { type: "resource", resource: { blob: "QUJD" } },
      {
        kind: "document",
        mimeType: "application/octet-stream",
        data: "QUJD",
        name: "without a name",
      },
    ],
    [{ type: "resource" }, { kind: "text", text: "(a resource part without a resource)" }],
    [{ type: "film" }, { kind: "text", text: '(a part of type "film", not shown)' }],
  ];
  for (const [part, medium] of cases) assert.deepEqual(mediumOf(part), medium);
});

Deno.test("described() tells type and size, and never the bytes", () => {
  const size = (length: number) =>
    described({ kind: "image", mimeType: "image/png", data: "A".repeat(length) });
  assert.equal(size(4), "image/png, 3 bytes");
  assert.equal(size(16_000), "image/png, 12 kB");
  assert.equal(size(2_000_000), "image/png, 1.5 MB");
});

Deno.test("attachedParts() and resultText() name what is not taken, and tell it", () => {
  const notes: string[] = [];
  const words = (text: string) => ({ text });
  const note = (line: string) => notes.push(line);
  assert.deepEqual(attachedParts([image("QUJD")], { words, take: () => undefined }, note), [
    { text: "(attached: image/png, 3 bytes; not shown)" },
  ]);
  const content = [{ type: "text", text: "" }, image("QUJD"), { type: "text", text: "end" }];
  const result = { id: "1", name: "t", content, isError: false };
  assert.equal(resultText(result, () => false, note), "(image/png, 3 bytes; not shown)\nend");
  assert.equal(notes.length, 2);
  assert.equal(resultText(result, () => true, note), "(image/png, 3 bytes; shown separately)\nend");
  assert.equal(resultText({ ...result, content: [] }, () => true), "(the tool returned nothing)");
  assert.equal(notes.length, 2);
});

Deno.test("flagged() says of an error that it is one, once", () => {
  assert.equal(flagged("no", true), "Error: no");
  assert.equal(flagged("Error: no", true), "Error: no");
  assert.equal(flagged("no", false), "no");
});
