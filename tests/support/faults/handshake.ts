/** Faults of a server that starts, and is never met; and of some that are met after all. @module */
import { type Row, rowsOf, sh } from "./row.ts";

/** Nothing but waiting depends on it. */
const SOON = { handshake: "700ms" };
const LATE = { offline: "handshake_timeout", limits: SOON } as const;

export const HANDSHAKE: readonly Row[] = rowsOf("Handshake", [
  { does: "answers nothing", server: "mute", ...LATE, everyMode: true },
  { does: "reads nothing", server: "stdin-unread", ...LATE },
  { does: "starts too slowly", server: "slow-start=60000", ...LATE },
  { does: "is put to sleep by a signal", server: "signal-at-start=SIGSTOP", ...LATE },
  {
    does: "is another program",
    server: { shown: "`sleep 1000`", entry: () => sh("sleep 1000") },
    ...LATE,
  },
  {
    does: "says whatever it is told",
    server: { shown: "`cat`", entry: () => ({ command: "cat" }) },
    ...LATE,
    note: "our own call is no answer",
  },
  {
    does: "writes lines of garbage for ever",
    server: "garbage=lines",
    ...LATE,
    everyMode: true,
    alone: true,
  },
  { does: "writes random bytes for ever", server: "garbage=bytes", ...LATE, alone: true },
  { does: "writes one line for ever", server: "garbage=one-line", ...LATE, alone: true },
  { does: "drips a byte each 100 ms", server: "slow-drip=100", ...LATE },
  { does: "answers with ids that nobody used", server: "wrong-ids", ...LATE },
  { does: "answers with the id null", server: "null-ids", ...LATE },
  { does: "breaks each message in two lines", server: "torn", ...LATE },
  { does: "talks instead of answering", server: "chatter=server/discover", ...LATE },
  { does: "exits at once with 0", server: "exit-at-start=0", offline: "exited" },
  {
    does: "exits at once with 1, saying why",
    server: "exit-at-start=1",
    offline: "exited",
    everyMode: true,
  },
  { does: "is killed at the start", server: "signal-at-start=SIGKILL", offline: "exited" },
  {
    does: "goes into the background",
    server: { shown: "`sh -c 'sleep 1000 & exit 0'`", entry: () => sh("sleep 1000 & exit 0") },
    offline: "exited",
    note: "what it left behind is ended",
  },
  {
    does: "exits at the first call, of either era",
    server: "die-on=server/discover die-on=initialize",
    offline: "exited",
  },
  {
    does: "exits in the midst of its first answer",
    server: "half-frame-then-exit=server/discover half-frame-then-exit=initialize",
    offline: "exited",
    everyMode: true,
  },
  {
    does: "closes its output and lives",
    server: "close-stdout",
    offline: "closed",
    everyMode: true,
    linux: true,
  },
  {
    does: "reads one call and closes its input",
    server: {
      shown: "`sh -c 'read line; exec <&-; sleep 1000'`",
      entry: () => sh("read -r line; exec <&-; sleep 1000"),
    },
    offline: "handshake_timeout",
    limits: { probe: "300ms", handshake: "1500ms" },
    note: "started once more, for the second question could not be asked",
  },
  {
    does: "refuses both ways to begin",
    server: "refuse-handshake=-32603",
    offline: "refused",
    everyMode: true,
  },
  {
    does: "answers with what is no object",
    server: "no-object=initialize --legacy",
    offline: "garbled",
  },
  {
    does: "speaks a version of the future",
    server: "unsupported=2099-01-01",
    offline: "version_mismatch",
    everyMode: true,
  },
  {
    does: "agrees to a version of the future",
    server: "init-version=2099-01-01",
    offline: "version_mismatch",
  },
  {
    does: "refuses our version and names no other",
    server: "unsupported-bare",
    offline: "version_mismatch",
  },
  { does: "prints a banner", server: "banner" },
  { does: "starts slowly, within its limit", server: "slow-start=1000" },
  {
    does: "exits at the first call of the newer era",
    server: "die-on-discover",
    note: "it is started once more, and asked in the older way",
  },
  {
    does: "is silent on the newer era",
    server: "mute-discover",
    limits: { probe: "300ms" },
    note: "asked in the older way after `limits.probe`",
  },
  { does: "writes a byte at a time", server: "drip" },
  { does: "writes what is no UTF-8", server: "invalid-utf8" },
  { does: "floods stderr at the start and at each call", server: "stderr-flood=1000000" },
  { does: "floods stdout with lines that are no messages", server: "stdout-flood=1000000" },
]);
