/** Faults of a server whose tools can't be listed, or not as they should. @module */
import { type Row, rowsOf } from "./row.ts";

const SOON = { list: "700ms" };
const LATE = { offline: "list_timeout", limits: SOON } as const;

export const LIST: readonly Row[] = rowsOf("List", [
  { does: "does not answer", server: "list-hang", ...LATE, everyMode: true },
  { does: "answers with ids that nobody used", server: "wrong-ids=tools/list", ...LATE },
  {
    does: "has always one more page, and takes its time",
    server: "endless-pages list-late=100",
    ...LATE,
  },
  { does: "talks instead of answering", server: "chatter=tools/list", ...LATE },
  { does: "refuses to list", server: "list-error=-32603", offline: "refused", everyMode: true },
  { does: "refuses every cursor that it gives out", server: "stale-cursor", offline: "refused" },
  { does: "answers with what is no object", server: "no-object=tools/list", offline: "garbled" },
  {
    does: "has a list of 33 MB on one line",
    server: "huge-tool=35000000",
    alone: true,
    offline: "garbled",
  },
  {
    does: "exits when it is asked",
    server: "die-on=tools/list",
    offline: "exited",
    everyMode: true,
  },
  { does: "is killed when it is asked", server: "signal-on=tools/list", offline: "exited" },
  {
    does: "exits in the midst of its list",
    server: "half-frame-then-exit=tools/list",
    offline: "exited",
    everyMode: true,
  },
  {
    does: "closes its output when it is asked",
    server: "close-stdout=tools/list",
    offline: "closed",
    linux: true,
  },
  {
    does: "lists and exits in the same breath, each time",
    server: "die-after=tools/list",
    fused: false,
    code: "exited",
    thenCode: "exited",
    lost: "exited",
    everyMode: true,
  },
  {
    does: "has nothing where its tools should be",
    server: "tools-are=null",
    code: "refused",
    thenCode: "refused",
    note: "online without a tool",
  },
  {
    does: "has a text where its tools should be",
    server: 'tools-are="many"',
    code: "refused",
    thenCode: "refused",
    note: "online without a tool",
  },
  {
    does: "has nine entries that are no tools",
    server: "bad-tools",
    use: { tool: "good_last", args: { n: 1 } },
    note: "those nine are held back",
  },
  { does: "has tools with trying names", server: "odd-names" },
  {
    does: "has schemas that are bombs",
    server: "schema-bombs",
    alone: true,
    note: "three of them are held back: too deep, or over 256 KiB",
  },
  {
    does: "has 20,000 tools",
    server: "many-tools=20000",
    alone: true,
    use: { tool: "many_9000", args: { n: 1 } },
    note: "the first 10,000 are taken",
  },
  { does: "has a description of 1 MB", server: "huge-tool=1000000", note: "which is cut" },
  {
    does: "has always one more page",
    server: "endless-pages",
    alone: true,
    note: "cut after 1,000 pages",
  },
  { does: "repeats a cursor for ever", server: "same-cursor", note: "what was read is kept" },
  { does: "has a number for a cursor", server: "odd-cursor", note: "what was read is kept" },
  {
    does: "lets a cursor expire",
    server: "cursor-expires",
    use: { tool: "tool_3", args: { n: 1 } },
    note: "read again, once",
  },
  {
    does: "has an empty page, and one behind it",
    server: "empty-page",
    use: { tool: "tool_3", args: { n: 1 } },
  },
  {
    does: "says without an end that its list changed",
    server: "list-storm",
    note: "read again once a turn",
  },
]);
