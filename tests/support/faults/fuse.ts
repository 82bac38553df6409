/** Faults that come again and again: what opens a fuse, and what never does. @module */
import { type Code, type Row, rowsOf } from "./row.ts";

const NONE = {};
const THRICE = (code: Code) => ({ code, again: [code, code, "fuse_open"] as const });
const SOON = { idle: "300ms" };

export const FUSE: readonly Row[] = rowsOf("Fuse", [
  {
    does: "dies of every call",
    server: "die-on-call=echo",
    ...THRICE("exited"),
    thenCode: "fuse_open",
    lost: "exited",
    everyMode: true,
  },
  {
    does: "answers no call",
    server: "hang",
    use: { tool: "hang", args: NONE },
    patience: SOON,
    ...THRICE("call_timeout"),
    thenCode: "fuse_open",
    lost: "call_timeout",
  },
  {
    does: "answers every call with what is no JSON",
    server: "nan",
    code: "garbled",
    again: ["garbled", "garbled", "garbled"],
    note: "somebody is there who answers: its other tools are as good as ever",
  },
  {
    does: "answers no call of one tool, and others in between",
    server: "hang",
    use: { tool: "hang", args: NONE },
    patience: SOON,
    code: "call_timeout",
    between: { tool: "pid", args: NONE },
    again: ["call_timeout", "call_timeout", "call_timeout"],
    note: "a slow tool is no ill server",
  },
  {
    does: "refuses every call",
    server: "call-error=-32603",
    code: "refused",
    again: ["refused", "refused", "refused"],
    note: "a refusal is an answer, and opens no fuse",
  },
  {
    does: "says no to every call",
    server: "",
    use: { tool: "fail", args: NONE },
    saysNo: true,
    says: /always says no/,
    again: [undefined, undefined, undefined],
    note: "as little as a refusal",
  },
]);
