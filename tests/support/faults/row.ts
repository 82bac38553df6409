/** One fault as data: who misbehaves and how, and what has to come of it. @module */
import type { ReasonCode } from "../../../lib/protocol/errors.ts";
import type { Sandbox } from "../cli.ts";

/** `refused` is also a JSON-RPC error in answer to a call. */
export type Code = ReasonCode;

export const PHASES = ["Spawn", "Handshake", "List", "Call", "Fuse", "Close"] as const;
export type Phase = typeof PHASES[number];

export const MODES = ["full", "lazy", "forward"] as const;
export type Mode = typeof MODES[number];

/** What stands in the configuration for the faulty server. */
export type Entry = Readonly<Record<string, unknown>>;

export interface Use {
  tool: string;
  args: Readonly<Record<string, unknown>>;
}

export interface Row {
  phase: Phase;
  /** Goes on from "A server that": one line, which no other row of the phase has. */
  does: string;
  /** Arguments of `servers/flaky.ts`, apart by blanks; or how the table shows what is configured, and that. */
  server: string | { shown: string; entry: (box: Sandbox) => Entry | Promise<Entry> };
  /** Limits of the server; the rest are generous, so that a slow machine is no fault. */
  limits?: Readonly<Record<string, string>>;
  /** Limits of the first call alone. */
  patience?: { readonly idle: string; readonly cap?: string };
  /** It fails more often than calls are made: its fuse is not what is looked at. */
  fused?: false;
  /** Why the server is not to be had; then all calls have this code. */
  offline?: Code;
  /** The first call; the default is `echo`. */
  use?: Use;
  /** Its code; none: it is answered. */
  code?: Code;
  /** It is answered by the tool's own no. */
  saysNo?: true;
  /** What is in its answer. */
  says?: RegExp;
  /** The same use in turns of its own, each with its code. */
  again?: readonly (Code | undefined)[];
  /** A use beside each of them, which is answered. */
  between?: Use;
  /** The last call; the default is `pid`, which no fault of calls spoils. */
  then?: Use;
  /** Its code; none: it is answered. */
  thenCode?: Code;
  /** Why the server is offline when the run ends, though it was attached. */
  lost?: Code;
  /** Tried in lazy and forward mode, too. */
  everyMode?: true;
  /** What else the table says of it. */
  note?: string;
  /** It has a processor or much memory to itself: no other faulty server runs beside it. */
  alone?: true;
  /** It can't be tried elsewhere. */
  linux?: true;
}

export function rowsOf(phase: Phase, rows: readonly Omit<Row, "phase">[]): readonly Row[] {
  return rows.map((row) => ({ phase, ...row }));
}

/** A program of a few lines of `sh`. */
export function sh(script: string): Entry {
  return { command: "sh", args: ["-c", script] };
}
