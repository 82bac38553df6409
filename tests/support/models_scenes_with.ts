/** Scenes with more than words: files, schemas, pictures, tools that no API takes as they stand. @module */
import assert from "node:assert/strict";
import { flaky } from "./cli.ts";
import type { Body } from "./models_formats.ts";
import { answered, call, say, SEARCH, told, use } from "./models_lines.ts";
import { FITTED, HOPELESS, oddServer } from "./models_odd.ts";
import type { Scene, Seen } from "./models_play.ts";
import { PNG } from "./picture.ts";

const PDF = "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
const CITY = {
  type: "object",
  properties: { city: { type: "string", minLength: 3 }, votes: { type: "integer" } },
  required: ["city"],
};

export const WITH: readonly Scene[] = [
  {
    title: "with a system prompt, attachments, a schema and a limit",
    prompt: "Which city?",
    files: {
      "system.md": "You love cities.",
      "dot.png": PNG,
      "short.pdf": PDF,
      "list.txt": "Lisbon 9\nOslo 5\n",
      "city.json": JSON.stringify(CITY),
    },
    args: [
      ...["--json", "--system", "system.md", "--schema", "city.json", "--max-tokens", "500"],
      ...["dot.png", "short.pdf", "list.txt"].flatMap((name) => ["--attach", name]),
    ],
    lines: () => [
      { response: use([SEARCH]) },
      { turn: 1, response: say('{"city": "Lisbon", "votes": 9}') },
    ],
    asked: 2,
    check(seen) {
      answered(seen, '{"city": "Lisbon", "votes": 9}', 2);
      for (const { body, text } of seen.sent) {
        const { format } = seen;
        assert.match(format.system(body), /You love cities\.$/);
        assert.match(format.prompt(body), /Which city\?/);
        assert.match(format.prompt(body), /Lisbon 9\nOslo 5/);
        assert.equal(format.media(body), 2);
        assert(text.includes(PNG.toBase64()));
        // As a limit, and as a schema that the API is told of.
        assert(/"max\w*":500\b/i.test(text), "no limit");
        assert(
          /"(?:output_config|text|response_format|generationConfig)":/.test(text),
          "no schema",
        );
      }
    },
  },
  {
    title: "tools of odd schemas",
    servers: async (box) => ({ odd: await oddServer(box) }),
    lines: () => [
      { response: use([call("odd.choice", { a: 1 }), call("odd.bare", {})]) },
      { turn: 1, response: say("They ran.") },
    ],
    asked: 2,
    check(seen) {
      answered(seen, "They ran.", 2);
      assert.deepEqual(told(seen, 1).map(({ text }) => text), ['choice{"a":1}', "bare{}"]);
      const { format, sent: [{ body }], result } = seen as Seen & { sent: [{ body: Body }] };
      const odd = format.tools(body).filter((name) => name.startsWith("mcp__odd__"));
      assert.deepEqual(odd, Object.keys(FITTED).map((name) => `mcp__odd__${name}`).sort());
      for (const name of Object.keys(HOPELESS)) {
        // Once, though there were two requests.
        const lines = result.stderr.match(
          new RegExp(`^.*\\bmcp__odd__${name}\\b.*schema.*$`, "gm"),
        );
        assert.equal(lines?.length, 1, `${name}: ${result.stderr}`);
      }
    },
  },
  {
    title: "pictures that a tool gave",
    servers: () => Promise.resolve({ flaky: flaky("odd-content") }),
    lines: () => [
      { response: use([call("flaky.odd")]) },
      { turn: 1, response: say("A red dot.") },
    ],
    asked: 2,
    check(seen) {
      answered(seen, "A red dot.", 2);
      const { body, text } = seen.sent[1]!;
      // P10: as a picture and nowhere as text; what no model takes is named.
      assert.equal(seen.format.media(body) >= 1, true);
      assert(text.includes(PNG.toBase64()));
      const [result] = told(seen, 1);
      assert(!result!.text.includes("iVBOR"), result!.text);
      assert.match(result!.text, /first[^]*embedded[^]*last/);
      assert.match(result!.text, /hologram/);
    },
  },
];
