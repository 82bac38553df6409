/** Faults of a goodbye: the answer is out before it, and nothing is left behind it. @module */
import { type Row, rowsOf } from "./row.ts";

export const CLOSE: readonly Row[] = rowsOf("Close", [
  { does: "does not leave when its stdin ends", server: "lingers" },
  { does: "takes 300 ms to leave", server: "slow-end=300" },
  { does: "takes a minute to leave", server: "slow-end=60000" },
  { does: "is deaf to the end of stdin and to signals", server: "deaf", everyMode: true },
  { does: "leaves a grandchild behind", server: "grandchild", everyMode: true },
  { does: "leaves a grandchild behind that holds no pipe", server: "grandchild=quiet" },
  { does: "leaves a grandchild that is deaf to signals", server: "deaf-grandchild" },
  { does: "is deaf, as its grandchild is", server: "deaf deaf-grandchild" },
  { does: "floods both pipes at the end", server: "end-flood", alone: true },
  { does: "crashes on the way out", server: "exit-at-end=134" },
]);
