/** Faults of what a call returns. @module */
import type { Message } from "../serve.ts";
import { says } from "../server.ts";
import { adding, type Fault, isSpoilable, rewriting } from "./fault.ts";

/** A red dot of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const none = { type: "object", properties: {} };

export const RESULT: Record<string, Fault> = {
  "no-result-type": {
    about: "leaves resultType out of every result",
    hooks: () => rewriting(() => true, ({ resultType: _, ...result }: Message) => result),
  },
  "odd-result-type": {
    about: 'answers calls with resultType "weird"',
    hooks: () => rewriting(isSpoilable, (result) => ({ ...result, resultType: "weird" })),
  },
  "structured-only": {
    about: "answers calls with structuredContent alone, content is []",
    hooks: () =>
      rewriting(
        isSpoilable,
        (result) => result.structuredContent === undefined ? result : { ...result, content: [] },
      ),
  },
  "structured-mismatch": {
    about: "adds the tool mismatch, whose result violates its outputSchema",
    hooks: () =>
      adding({
        name: "mismatch",
        description: "Promises a count and returns a word.",
        inputSchema: none,
        outputSchema: {
          type: "object",
          properties: { count: { type: "integer" } },
          required: ["count"],
        },
        run: () => says("many", { count: "many" }),
      }),
  },
  "odd-content": {
    about:
      "adds the tool odd, which returns all kinds of content, an unknown one and malformed ones",
    hooks: () =>
      adding({
        name: "odd",
        description: "Returns all kinds of content.",
        inputSchema: none,
        run: () => ({
          content: [
            { type: "text", text: "first" },
            { type: "image", data: PNG, mimeType: "image/png" },
            { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
            {
              type: "resource",
              resource: { uri: "file:///notes.txt", mimeType: "text/plain", text: "embedded" },
            },
            { type: "resource", resource: { uri: "file:///blob.bin", blob: "AAEC" } },
            { type: "resource_link", uri: "https://example.com/report", name: "report" },
            { type: "hologram", data: "…" },
            { type: "text" },
            { type: "image", data: 42 },
            null,
            "bare",
            { type: "text", text: "last" },
          ],
        }),
      }),
  },
  "redos-schema": {
    about: "adds the tool redos, whose outputSchema takes for ever with a backtracking engine",
    hooks: () =>
      adding({
        name: "redos",
        description: "Returns a word that does not match its pattern.",
        inputSchema: none,
        outputSchema: {
          type: "object",
          properties: { word: { type: "string", pattern: "^(a+)+$" } },
          required: ["word"],
        },
        run() {
          const word = `${"a".repeat(48)}!`;
          return says(word, { word });
        },
      }),
  },
};
