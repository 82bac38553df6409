/** Trust in a file holds for its bytes, its place, and nothing else. */
import assert from "node:assert/strict";
import { type Place, placeOf, standingOf, TrustBook, type Verdict } from "../../lib/cli/trust.ts";
import { Disk } from "../support/disk.ts";

const FILE = { folder: "/home/me/p", name: ".mcp.json", path: "/home/me/p/.mcp.json" };
const bytes = (text: string) => new TextEncoder().encode(text);
const place = (text = "{}", more: Partial<Place> = {}) =>
  placeOf(FILE, bytes(text)).then((it) => ({ ...it, ...more }));
const said = async (verdict: Verdict["verdict"], text = "{}"): Promise<Verdict> => ({
  ...await place(text),
  verdict,
  at: 1,
});

Deno.test("placeOf() tells any two contents apart, also those that read alike", async () => {
  const contents = ["{}", "{} ", "{}\n", "\ufeff{}", ""].map(bytes);
  const unreadable = [[0xff], [0xfe], [0xef, 0xbf, 0xbd]].map((it) => new Uint8Array(it));
  const all = await Promise.all([...contents, ...unreadable].map((it) => placeOf(FILE, it)));
  assert.equal(new Set(all.map(({ sha256 }) => sha256)).size, all.length);
});

Deno.test("standingOf() holds for the very bytes it was said of, and for no others", async () => {
  const trusted = await said("trusted");
  assert.equal(standingOf(trusted, await place()), "trusted");
  assert.equal(standingOf(trusted, await place("{} ")), "changed");
  const refused = await said("refused");
  assert.equal(standingOf(refused, await place()), "refused");
  assert.equal(standingOf(refused, await place("{} ")), "new");
  assert.equal(standingOf(undefined, await place()), "new");
});

Deno.test("standingOf() does not follow a file to another folder, name, or end of a link", async () => {
  const trusted = await said("trusted");
  const cases: [Partial<Place>, string][] = [
    [{ folder: "/home/me/other" }, "new"],
    [{ name: "fusebox.json" }, "new"],
    [{ path: "/home/me/other/.mcp.json" }, "changed"],
  ];
  for (const [more, standing] of cases) {
    assert.equal(standingOf(trusted, await place("{}", more)), standing, JSON.stringify(more));
  }
});

Deno.test("TrustBook keeps one verdict for each file, the last, and forgets it when asked", async () => {
  const disk = new Disk();
  const book = () => new TrustBook(Object.assign(disk, { secret: "s" }), assert.fail);
  assert.equal(await book().about(FILE), undefined);
  await book().say(await said("trusted"));
  await book().say(await said("refused", "{ }"));
  const other = { ...await said("trusted"), folder: "/home/me/a" };
  await book().say(other);
  assert.equal((await book().about(FILE))?.verdict, "refused");
  assert.deepEqual((await book().list()).map(({ folder }) => folder), [other.folder, FILE.folder]);
  await book().forget(FILE);
  assert.deepEqual(await book().list(), [other]);
  assert.equal(disk.privates.size, disk.files.size + 1, "all were written privately");
  await book().clear();
  assert.deepEqual(await book().list(), []);
});

Deno.test("TrustBook takes what is damaged for nothing, and says so", async () => {
  const disk = new Disk();
  const notes: string[] = [];
  const book = new TrustBook(Object.assign(disk, { secret: "s" }), (line) => notes.push(line));
  await book.say(await said("trusted"));
  const [name] = [...disk.files.keys()];
  const text = disk.files.get(name!)!;
  const late = text.replace(/"at": \d+/, '"at": 1e300');
  for (const damaged of ["", text.slice(9), text.replace('"trusted"', '"sure"'), late]) {
    disk.files.set(name!, damaged);
    assert.equal(await book.about(FILE), undefined, damaged);
  }
  assert.equal(notes.length, 1);
});
