/** One client on a stage: what it is given, what it does, and how that is told. @module */
import type { Client, Use } from "./clients.ts";
import { type Ran, type Stage, type Wishes } from "./stage.ts";

const FLAKY = new URL("../../servers/flaky.ts", import.meta.url).pathname;

export type Entry = Record<string, unknown>;

/** Our own server with these faults; of the older era, which every contestant speaks. */
export const flaky = (...faults: string[]): Entry => ({
  command: "deno",
  args: ["run", "-A", "--no-config", "--quiet", FLAKY, "--legacy", ...faults],
});

/** The same, and a file beside it for all that it is sent. */
export function tapped(stage: Stage, more: Entry = {}): Entry {
  const { command, args } = flaky();
  const tap = ["-c", 'tee "$0.$$" | "$@"', `${stage.folder}/tap`, command, ...args as string[]];
  return { command: "sh", args: tap, ...more };
}

/** How often the server was sent `tools/call`, by what `tee` saw. */
export async function sent(stage: Stage): Promise<number> {
  let count = 0;
  for await (const { name } of Deno.readDir(stage.folder)) {
    if (!name.startsWith("tap")) continue;
    const text = await Deno.readTextFile(`${stage.folder}/${name}`);
    count += text.match(/"method":"tools\/call"/g)?.length ?? 0;
  }
  return count;
}

export const MUTE: Entry = { command: "sleep", args: ["1000"] };
const schema = { type: "object", properties: {} };
/** Of three tools the second one is malformed. */
export const THREE = JSON.stringify([
  { name: "echo", inputSchema: schema },
  { name: "env", inputSchema: { ...schema, required: null } },
  { name: "pid", inputSchema: schema },
]);

/** What the last of some commands did; `ms` is the time of all of them. */
export interface Played extends Ran {
  lastMs: number;
}

/** One client on a stage of its own. */
export class Act {
  #configs = 0;
  constructor(
    readonly client: Client,
    readonly stage: Stage,
    readonly log: (text: string) => void,
  ) {}

  config(mcpServers: Record<string, Entry>): Promise<string> {
    return this.stage.write(`config-${++this.#configs}.json`, { mcpServers });
  }

  /** Runs these, and gives the last with the time of them all. Ends before it when one is killed. */
  async play(argvs: readonly (readonly string[])[], wishes: Wishes = {}): Promise<Played> {
    let ms = 0;
    for (const [n, argv] of argvs.entries()) {
      const isLast = n === argvs.length - 1;
      const ran = await this.stage.run(
        argv,
        isLast ? wishes : { limitMs: wishes.limitMs ?? 60_000 },
      );
      this.log(
        `$ ${argv.join(" ")}\nexit ${ran.code ?? "killed"}, ${(ran.ms / 1000).toFixed(1)} s`,
      );
      this.log(`stdout ${head(ran.out)}\nstderr ${head(ran.err)}`);
      ms += ran.ms;
      if (isLast || ran.code === undefined) return { ...ran, ms, lastMs: ran.ms };
    }
    throw new Error("nothing to run");
  }

  call(config: string, tool = "echo", more: Partial<Use> & Wishes = {}): Promise<Played> {
    return this.play(this.client.call({ args: {}, ...more, config, tool }), more);
  }

  /** Before another configuration is asked of a client that keeps what it is connected to. */
  async close(): Promise<void> {
    if (this.client.close) await this.play([this.client.close]);
  }
}

const head = (text: string) =>
  JSON.stringify(text.length > 1500 ? text.slice(0, 1500) + "…" : text);
export const seconds = ({ ms }: { ms: number }): string => `${(ms / 1000).toFixed(1)} s`;
export const exit = ({ code }: Ran): string => code === undefined ? "killed" : `exit ${code}`;
/** What the good server is to say. */
export const MARK = "hello-from-good";
/** Of these command lines, those of the server and of what it started. */
export function count(living: ReadonlyMap<number, string>): number {
  const theirs = /^\S*deno \S.*flaky\.ts|^\S*sh -c trap/;
  return [...living.values()].filter((line) => theirs.test(line)).length;
}
