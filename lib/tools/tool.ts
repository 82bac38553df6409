/** What the loop needs of tools, whichever of the three modes offers them. @module */
import type { ToolSpec, ToolUse } from "../models/model.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Annotations, Params } from "../protocol/types.ts";
import type { ToolRef } from "../registry/names.ts";
import type { UseOptions } from "../registry/server_options.ts";

/** The tool that a use reaches in the end: approvals, filters and logs look at this one. */
export interface Target {
  ref: ToolRef;
  title?: string;
  /** A stranger's word. */
  annotations?: Annotations;
  /** What the tool would be given, where that is not what the use was given. */
  args?: Params;
}

export interface RunOptions extends UseOptions {
  /** The tool that was approved; "nothing" where no target was found. Absent: the caller answers for it. */
  approved?: ToolRef | "nothing";
}

export interface Toolbox {
  /** What the model is shown. Between two calls it only ever grows at its end. */
  specs(): readonly ToolSpec[];
  /** Takes in what changed since the last turn. @throws the signal's reason */
  refresh(signal?: AbortSignal): Promise<void>;
  /** Undefined when the use reaches no tool of a server. */
  target(use: ToolUse): Target | undefined;
  /**
   * Runs what was approved and nothing else, also where another tool is found by now. Never throws but for a bug and for the signal's reason.
   */
  run(use: ToolUse, options: RunOptions): Promise<ToolResult>;
}
