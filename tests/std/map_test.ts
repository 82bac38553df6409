/** The two import maps: the same names, and only those of @std lead elsewhere. @module */
import { assertEquals, assertMatch } from "@std/assert";

const read = (name: string): Record<string, string> =>
  JSON.parse(Deno.readTextFileSync(new URL(`../../${name}`, import.meta.url))).imports;

Deno.test("import_map.jsr.json repeats the imports of deno.json and takes @std from JSR", () => {
  const npm = read("deno.json");
  const jsr = read("import_map.jsr.json");
  assertEquals(Object.keys(jsr).sort(), Object.keys(npm).sort());
  for (const [name, target] of Object.entries(jsr)) {
    if (name.startsWith("@std/")) assertMatch(target, /^jsr:@std\/[a-z]+@\^1(\/[a-z-]+)?$/);
    else assertEquals(target, npm[name], name);
  }
});
