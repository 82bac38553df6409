/** One process of one server, as a trace tells it: its start, each line of its three pipes, its end. @module */
import type { StdioOptions } from "../../transport/stdio.ts";
import type { Tracing } from "./tracing.ts";

type Told = Required<
  Pick<StdioOptions, "onStart" | "onFrame" | "onNoise" | "onOversized" | "onStderr" | "onEnd">
>;

export class Connection {
  readonly #tracing: Tracing;
  /** Begins every record. */
  readonly #who: { server: string; process: number };
  /** The number of the last line that came. */
  #last = 0;

  constructor(tracing: Tracing, server: string, process: number) {
    this.#tracing = tracing;
    this.#who = { server, process };
  }

  /** The same options of a transport; what they are told of is recorded first. */
  tap(options: StdioOptions): StdioOptions & Told {
    const who = this.#who;
    const tell = this.#tracing;
    return {
      ...options,
      onStart: (pid) => {
        const { command, args, cwd, env } = options;
        const where = cwd === undefined ? {} : { cwd };
        const names = Object.keys(env).sort();
        tell.write("process", { ...who, pid, command, args, ...where, env: names });
        options.onStart?.(pid);
      },
      onFrame: (direction, line) => {
        const number = tell.write(direction, { ...who, line: line.replace(/\n$/, "") });
        if (direction === "received") this.#last = number;
        options.onFrame?.(direction, line);
      },
      onNoise: (line) => {
        tell.write("noise", { ...who, of: this.#last });
        options.onNoise?.(line);
      },
      onOversized: (line) => {
        tell.write("oversized", { ...who, bytes: line.bytes, head: `${line.head}…` });
        options.onOversized?.(line);
      },
      onStderr: (line) => {
        tell.write("stderr", { ...who, line });
        options.onStderr?.(line);
      },
      onEnd: (ending) => {
        const { code, signal } = ending;
        tell.write("ended", { ...who, code, ...(signal && { signal }) });
        options.onEnd?.(ending);
      },
    };
  }
}
