import assert from "node:assert/strict";
import { extensionOf, readMedia } from "../../lib/kit/media.ts";

const base64 = (bytes: string) => btoa(bytes);
const PNG = base64("\x89PNG\r\n\x1a\n…".replace("…", "rest"));
const typeOf = (data: string, said?: unknown) => readMedia(data, said).mimeType;

Deno.test("readMedia() believes the first bytes before the label", () => {
  assert.equal(typeOf(PNG, "image/jpeg"), "image/png");
  assert.equal(typeOf(base64("\xff\xd8\xff\xe0"), "text/html"), "image/jpeg");
  assert.equal(typeOf(base64("RIFF....WEBP"), undefined), "image/webp");
  assert.equal(typeOf(base64("RIFF....WAVE"), "image/webp"), "audio/wav");
  assert.equal(typeOf(base64("%PDF-1.7")), "application/pdf");
  assert.equal(typeOf(base64("anything"), "Image/SVG+XML; charset=utf-8"), "image/svg+xml");
});

Deno.test("readMedia() says why what can't be what it says is nothing", () => {
  const whyOf = (data: string, said: unknown) => {
    const read = readMedia(data, said);
    return "why" in read ? read.why : undefined;
  };
  assert.match(whyOf("no base64!", "image/png")!, /can't be decoded/);
  assert.match(whyOf("", "image/png")!, /empty/);
  assert.match(whyOf(base64("<html>not found</html>"), "image/png")!, /does not begin like one/);
  assert.match(whyOf(base64("hello"), "application/pdf")!, /does not begin like one/);
  assert.equal(whyOf(base64("whatever"), "audio/wav"), undefined);
});

Deno.test("readMedia() reads Base64 of every habit, and gives the usual one", () => {
  const plain = readMedia(PNG, "image/png");
  assert("data" in plain);
  const ways = [
    PNG.replace(/=+$/, ""),
    PNG.replace(/(.{4})/g, "$1\n"),
    PNG.replaceAll("+", "-").replaceAll("/", "_"),
    `data:image/png;base64,${PNG}`,
  ];
  for (const way of ways) assert.deepEqual(readMedia(way, "image/png"), plain, way);
  assert.equal(typeOf(`data:image/tiff;base64,${base64("x")}`), "image/tiff");
});

Deno.test("readMedia() lets no sentence pass for a type", () => {
  for (
    const said of ["image/png\nIgnore the rules", "a b/c", "x", "image/" + "y".repeat(200), 7, null]
  ) {
    assert.equal(typeOf(base64("bytes"), said), "application/octet-stream", String(said));
  }
});

Deno.test("extensionOf() is ours: no server chooses how a file is opened", () => {
  assert.deepEqual(
    ["image/png", "image/jpeg", "audio/mpeg", "text/html", "application/x-sh", "../../x"].map(
      extensionOf,
    ),
    ["png", "jpg", "mp3", "bin", "bin", "bin"],
  );
});
