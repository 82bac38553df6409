/** The tools that work in any flaky server, unless a fault says otherwise. @module */
import type { Message } from "../serve.ts";
import { refuses, says, type Tool } from "../server.ts";
import type { Box } from "./fault.ts";

const ANY = { type: "object", properties: {}, additionalProperties: true };
const NONE = { type: "object", properties: {}, additionalProperties: false };

/** Resolves after so many milliseconds, or at once when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}

/** A tool that says its own name and arguments, under whatever name. */
export function echo(name: string, description = "Returns its arguments."): Tool {
  return {
    name,
    description,
    inputSchema: ANY,
    annotations: { readOnlyHint: true },
    run: (args) => says(JSON.stringify(args), args),
  };
}

/** @param received every message the connection has seen so far, this very call included */
export function healthy(received: Message[], children: number[], box: Box): Tool[] {
  return [
    echo("echo"),
    {
      name: "slow",
      description: "Answers after `ms` milliseconds; reports progress each `every` of them.",
      inputSchema: {
        type: "object",
        properties: {
          ms: { type: "integer", minimum: 0 },
          every: { type: "integer", minimum: 1 },
        },
        required: ["ms"],
      },
      async run({ ms, every = ms }, call) {
        for (let spent = 0; spent < ms && !call.signal.aborted;) {
          const step = Math.min(every, ms - spent);
          await pause(step, call.signal);
          spent += step;
          if (every < ms) call.progress(spent, ms, `${spent} of ${ms} ms`);
        }
        return says(`Slept ${ms} ms.`);
      },
    },
    {
      name: "env",
      description: "Returns the environment of the server.",
      inputSchema: NONE,
      run() {
        const env = box.env();
        const lines = Object.entries(env).map(([name, value]) => `${name}=${value}`);
        return says(lines.toSorted().join("\n"), env);
      },
    },
    {
      name: "received",
      description: "Returns every message this connection has received, as JSON.",
      inputSchema: NONE,
      run: () => says(JSON.stringify(received)),
    },
    {
      name: "fail",
      description: "Says no.",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
      run: ({ text = "This tool always says no." }) => refuses(text),
    },
    {
      name: "pid",
      description: "Returns the process id of the server, and of what it has started.",
      inputSchema: NONE,
      run: () => says(String(box.pid), { pid: box.pid, children: [...children] }),
    },
  ];
}
