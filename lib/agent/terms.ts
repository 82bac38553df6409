/** The words of the loop: what happens in a run, how it ends, what it needs. @module */
import type { Clock } from "../kit/clock.ts";
import type { Delta, Message, Model, ToolUse, Usage } from "../models/model.ts";
import type { Progress, ToolResult } from "../protocol/tools.ts";
import type { Params } from "../protocol/types.ts";
import type { Target, Toolbox } from "../tools/tool.ts";
import type { Telling } from "./tell.ts";

export type AskEvent =
  | Delta
  /** A model request begins; `step` counts from 1. */
  | { type: "step"; step: number; prefix: Prefix }
  /** A model request has ended. */
  | { type: "turn"; step: number; usage?: Usage }
  /** A use is about to run, or to be refused. */
  | { type: "use"; use: ToolUse; target?: Target }
  | { type: "progress"; use: ToolUse; progress: Progress }
  | { type: "result"; use: ToolUse; target?: Target; result: ToolResult; ms: number };

/** What comes before the first message, where a prompt cache looks: the system prompt and the tools. */
export interface Prefix {
  /** Of its bytes: 16 hex digits, the same for the same bytes. */
  digest: string;
  /** How many tools are in it. */
  tools: number;
}

/** How a run ended. Only `answered` is a full answer. */
export type Ending =
  | "answered"
  | "step_limit"
  | "repetition"
  | "empty"
  | "length"
  | "refusal"
  | "denied"
  | "budget"
  | "invalid";

export interface Outcome {
  ending: Ending;
  /** The last text of the model; may be empty when `ending` is not `answered`. */
  answer: string;
  /** One sentence for people when `ending` is not `answered`. */
  why?: string;
  /** Model requests made. */
  steps: number;
  messages: readonly Message[];
  usage?: Usage;
}

/** What decided whether a use may run. */
export type Rule = "deny" | "allow" | "yes" | "hint" | "remembered" | "user" | "no_terminal";

/** Says whether a use may run; asking the user is its business. */
export type Approve = (
  use: ToolUse,
  target: Target,
  signal?: AbortSignal,
) => Promise<{ ok: true; by?: Rule } | { ok: false; why: string; by?: Rule }>;

export interface AskOptions {
  model: Model;
  tools: Toolbox;
  approve: Approve;
  clock: Clock;
  /** Model requests at the most. Default 20. */
  maxSteps?: number;
  /** How results are told: within which limits, and where goes what is too long. */
  telling?: Telling;
  /** The user's own system prompt, behind ours. */
  system?: string;
  /** Tokens of one turn at the most. */
  maxTokens?: number;
  /** Tokens of the whole run after which no further model request is made. */
  budgetTokens?: number;
  /** Tokens that the model's context holds: nearing it, the oldest results are taken out. */
  window?: number;
  /** The answer is to be JSON that is valid for this schema. */
  answerSchema?: Params;
  /** Of this run alone: part of the key that each dispatched use carries. Default: made up. */
  run?: string;
  /** What happened to servers since it was asked last, a line each: told to the model before its next turn. */
  news?: () => readonly string[];
  /** Told in one line what was left out on the way to the model. */
  note?: (line: string) => void;
  signal?: AbortSignal;
}
