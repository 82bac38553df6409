/** A model that says what a test tells it to say, and remembers what it was asked. @module */
import type { Delta, Model, ToolUse, Turn, TurnRequest } from "../../lib/models/model.ts";
import type { Params } from "../../lib/protocol/types.ts";

type Line = Partial<Turn> | ((request: TurnRequest) => Partial<Turn>);

export interface Scripted extends Model {
  /** Every request as it was when it came: later turns do not change earlier ones. */
  readonly requests: TurnRequest[];
}

/** The last line is said again and again. */
export function scripted(...lines: Line[]): Scripted {
  const requests: TurnRequest[] = [];
  return {
    name: "scripted",
    requests,
    async *turn(request: TurnRequest): AsyncGenerator<Delta, Turn> {
      request.signal?.throwIfAborted();
      const { signal: _signal, note: _note, ...rest } = request;
      requests.push(structuredClone(rest));
      const line = lines[Math.min(requests.length, lines.length) - 1]!;
      const said = typeof line === "function" ? line(request) : line;
      const turn = { text: "", uses: [], ...said };
      if (turn.text) yield { type: "text", text: turn.text };
      return { stop: turn.uses.length > 0 ? "tools" : "end", ...turn };
    },
  };
}

let next = 0;
export function use(name: string, args: Params = {}): ToolUse {
  return { id: `use-${++next}`, name, args };
}
