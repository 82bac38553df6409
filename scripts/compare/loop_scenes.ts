/** The rows of the second table: two agent loops over servers that misbehave. @module */
import { count, type Entry, exit, flaky, MARK, MUTE, seconds, sent, tapped, THREE } from "./act.ts";
import { ANSWER, type Loop, loopRun, type Seen } from "./loops.ts";
import { rest, type Stage } from "./stage.ts";

export interface LoopScene {
  title: string;
  cell(loop: Loop, stage: Stage, log: (text: string) => void): Promise<string>;
}

const hello = { tool: "echo", args: { text: MARK } };

/** One call of the good server, beside each of these: whether and when the run ended with it. */
function beside(title: string, ...bads: Entry[]): LoopScene {
  return {
    title,
    async cell(loop, stage, log) {
      const cells = [];
      for (const bad of bads) {
        const servers = { bad, good: flaky() };
        const ran = await loopRun(loop, stage, { servers, steps: [hello], limitMs: 80_000 });
        log(told(ran));
        const heard = ran.results.some((result) => result.includes(MARK));
        cells.push(heard ? seconds(ran) : ran.code === undefined ? "no end in 80 s" : "no answer");
      }
      return cells.join("; ");
    },
  };
}

export const LOOP_SCENES: readonly LoopScene[] = [
  beside("a command that is not there, beside a good server that is called", {
    command: "/nonexistent",
  }),
  beside("a mute server (`sleep 1000`) beside it", MUTE),
  beside(
    "an entry with an unset `${VAR}` beside it; without a command; whose list repeats its cursor",
    { ...flaky(), env: { KEY: "${NO_SUCH_KEY}" } },
    { args: ["x"] },
    flaky("same-cursor"),
  ),
  {
    title: "`required: null` in one tool of three: tools that the model is offered",
    async cell(loop, stage, log) {
      const servers = { good: flaky(`tools-are=${THREE}`) };
      const ran = await loopRun(loop, stage, { servers, steps: [hello] });
      log(told(ran));
      return `${ran.offered.length}`;
    },
  },
  {
    title: "a server that speaks the 2026-07-28 revision alone",
    async cell(loop, stage, log) {
      const { command, args } = flaky();
      const good = { command, args: (args as string[]).with(-1, "--modern") };
      const ran = await loopRun(loop, stage, { servers: { good }, steps: [hello] });
      log(told(ran));
      return ran.results.some((result) => result.includes(MARK)) ? "answers" : "no tools";
    },
  },
  {
    title: "the server dies in mid-call: the next call of the same run",
    async cell(loop, stage, log) {
      const ran = await loopRun(loop, stage, {
        servers: { good: flaky("die-on-call=slow") },
        steps: [{ tool: "slow", args: { ms: 1000 } }, hello],
      });
      log(told(ran));
      return ran.results[1]?.includes(MARK) ? "answers" : "no answer";
    },
  },
  {
    title: "a call that nobody answers, limited to 2 s: how the run ends; how often it was sent",
    async cell(loop, stage, log) {
      const ran = await loopRun(loop, stage, {
        servers: { good: tapped(stage, loop.entry?.(2)) },
        steps: [{ tool: "slow", args: { ms: 600_000 } }],
        seconds: 2,
        limitMs: 80_000,
      });
      log(told(ran));
      return `${exit(ran)}, ${seconds(ran)}; ${await sent(stage)}×`;
    },
  },
  {
    title: "left 2 s after Ctrl-C in mid-call: of a server; of one deaf to signals, with a child",
    async cell(loop, stage, log) {
      const cells = [];
      for (const good of [flaky(), flaky("deaf", "deaf-grandchild=quiet")]) {
        let before = 0;
        const ran = await loopRun(loop, stage, {
          servers: { good },
          steps: [{ tool: "slow", args: { ms: 600_000 } }],
          limitMs: 60_000,
          async interrupt() {
            await rest(12_000);
            before = count(await stage.living());
          },
        });
        log(told(ran));
        await rest(2000);
        cells.push(`${count(await stage.living())} of ${before}`);
        await stage.sweep();
      }
      return cells.join("; ");
    },
  },
  {
    title: "the answer alone on stdout, with lines on both of the server's streams",
    async cell(loop, stage, log) {
      const servers = { good: flaky("banner", "stderr-flood=10000") };
      const ran = await loopRun(loop, stage, { servers, steps: [hello] });
      log(told(ran));
      return ran.out.trim() === ANSWER ? "yes" : "no";
    },
  },
];

function told({ out, err, code, offered, results }: Seen): string {
  const cut = (text: string) => JSON.stringify(text.slice(0, 600));
  return `exit ${code} stdout ${cut(out)} stderr ${cut(err)} offered ${offered} results ${
    results.map(cut)
  }`;
}
