/** Faults of a call: each leaves the next call of the same server as it should be. @module */
import { type Row, rowsOf, sh } from "./row.ts";

const NONE = {};
const LATE = { code: "call_timeout", patience: { idle: "700ms" } } as const;

/** Nothing can be said to it once its tools are listed. */
const DEAF = `while read -r line; do
  id=$(echo "$line" | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
  case "$line" in
  *server/discover*) echo '{"id":'$id',"result":{"supportedVersions":["2026-07-28"]}}' ;;
  *tools/list*)
    exec <&-
    echo '{"id":'$id',"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}'
    exec sleep 1000 ;;
  esac
done`;

export const CALL: readonly Row[] = rowsOf("Call", [
  { does: "does not answer", server: "hang", use: { tool: "hang", args: NONE }, ...LATE },
  {
    does: "reports progress for ever",
    server: "endless-progress",
    use: { tool: "endless", args: NONE },
    code: "call_timeout",
    patience: { idle: "1s", cap: "1s" },
    note: "the cap is reached, the silence never",
  },
  { does: "talks instead of answering", server: "chatter=tools/call", ...LATE },
  { does: "answers with an id that nobody used", server: "wrong-ids=tools/call", ...LATE },
  {
    does: "answers when its time is over",
    server: "late=1500",
    ...LATE,
    then: { tool: "slow", args: { ms: 1_500, every: 100 } },
    note: "the late answer is nobody's: the next call has its own",
  },
  {
    does: "exits with 3",
    server: "die-on-call=echo",
    code: "exited",
    note: "started again for the next call",
  },
  { does: "exits in the midst of its answer", server: "half-frame-then-exit", code: "exited" },
  { does: "is killed", server: "signal-on=tools/call", code: "exited" },
  { does: "closes its output", server: "close-stdout=tools/call", code: "closed", linux: true },
  {
    does: "closes its input before it is called",
    server: { shown: "a script of `sh`", entry: () => sh(DEAF) },
    fused: false,
    code: "closed",
    then: { tool: "echo", args: { n: 2 } },
    thenCode: "closed",
    lost: "closed",
    everyMode: true,
  },
  { does: "refuses", server: "call-error=-32603", code: "refused" },
  { does: "forgot the tool that it listed", server: "amnesia", code: "refused" },
  { does: "answers with what is no object", server: "no-object", code: "garbled" },
  { does: "answers with what is no JSON", server: "nan", code: "garbled" },
  { does: "answers with a result of unknown type", server: "odd-result-type", code: "garbled" },
  {
    does: "asks for input instead of answering",
    server: "odd-result-type=input_required",
    code: "garbled",
    says: /asks for more input before it goes on, "Which branch\?"/,
  },
  {
    does: "answers with 33 MB on one line",
    server: "huge-line=35000000",
    alone: true,
    use: { tool: "huge", args: NONE },
    code: "garbled",
  },
  {
    does: "answers with lists a million deep",
    server: "deep-result=1000000",
    alone: true,
    use: { tool: "deep", args: NONE },
    code: "garbled",
  },
  {
    does: "says no",
    server: "",
    use: { tool: "fail", args: NONE },
    saysNo: true,
    says: /always says no/,
    note: "the tool's own no is an answer",
  },
  {
    does: "answers with 5 MB",
    server: "huge-line=5000000",
    use: { tool: "huge", args: NONE },
    says: /^x{1000}/,
    note: "cut before the model sees it",
  },
  { does: "answers twice", server: "duplicate-replies" },
  { does: "answers what nobody asked, too", server: "unknown-ids" },
  { does: "answers with the id as a text", server: "string-ids" },
  { does: "says 20,000 things before it answers", server: "notices=20000", alone: true },
  { does: "asks us before it answers", server: "server-ping --legacy" },
  {
    does: "breaks its own output schema",
    server: "structured-mismatch",
    use: { tool: "mismatch", args: NONE },
    says: /many/,
    note: "told by a note beside the result",
  },
  {
    does: "has a pattern that never ends",
    server: "redos-schema",
    use: { tool: "redos", args: NONE },
    says: /^a+!/,
  },
  {
    does: "answers with parts that are none",
    server: "odd-content",
    use: { tool: "odd", args: NONE },
    says: /first.*last/s,
  },
  { does: "answers with nothing", server: "no-content", says: /^$/ },
  {
    does: "steers the terminal with all it says",
    server: "escapes call-error=-32603",
    code: "refused",
  },
]);
