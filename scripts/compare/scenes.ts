/** The rows of the table: what is staged, and how a cell is read off what happened. @module */
import {
  type Act,
  count,
  type Entry,
  exit,
  flaky,
  MARK,
  MUTE,
  seconds,
  sent,
  tapped,
  THREE,
} from "./act.ts";
import { type Ran, rest } from "./stage.ts";

export interface Scene {
  title: string;
  /** The cell of one client: a few words. */
  cell(act: Act): Promise<string>;
}

const said = (ran: Ran) => ran.code === 0 && ran.out.includes(MARK);
const hello = { args: { text: MARK } };

/** A good server beside this one: whether and when it is heard. */
async function besides(act: Act, bad: Entry): Promise<string> {
  const ran = await act.call(await act.config({ bad, good: flaky() }), "echo", hello);
  await act.close();
  return said(ran) ? seconds(ran) : exit(ran);
}

/** The same, and whether and when all tools are listed. */
function beside(title: string, bad: Entry): Scene {
  return {
    title: `${title} beside a good server: call the good one; list the tools of all`,
    async cell(act) {
      const called = await besides(act, bad);
      const list = act.client.list?.(await act.config({ bad, good: flaky() }));
      if (!list) return `${called}; –`;
      const ran = await act.play(list);
      const isListed = ran.code === 0 && /slow|"ok": 1/.test(ran.out);
      return `${called}; ${isListed ? seconds(ran) : ended(ran)}`;
    },
  };
}

/** How it ended, for one that did not do as it was asked. */
const ended = (ran: Ran) => ran.code === undefined ? "no end in 60 s" : exit(ran);

export const SCENES: readonly Scene[] = [
  beside("a command that is not there", { command: "/nonexistent" }),
  beside("a mute server (`sleep 1000`)", MUTE),
  {
    title: "call the good one, beside an entry with an unset `${VAR}`; without a command",
    async cell(act) {
      const unset = await besides(act, { ...flaky(), env: { KEY: "${NO_SUCH_KEY}" } });
      return `${unset}; ${await besides(act, { args: ["x"] })}`;
    },
  },
  {
    title: "exit code: the tool says no · the server refuses the call · no such command",
    async cell(act) {
      const good = await act.config({ good: flaky() });
      const refusing = await act.config({ good: flaky("call-error=-32000") });
      const none = await act.config({ good: { command: "/nonexistent" } });
      const codes = [];
      for (const [config, tool] of [[good, "fail"], [refusing, "echo"], [none, "echo"]] as const) {
        codes.push((await act.call(config, tool)).code);
        await act.close();
      }
      return codes.join(" · ");
    },
  },
  {
    title: "a call that nobody answers, limited to 2 s: how it ends; how often it was sent",
    async cell(act) {
      const good = tapped(act.stage, act.client.entry?.(2));
      const wishes = { args: { ms: 600_000 }, seconds: 2, limitMs: 80_000 };
      const ran = await act.call(await act.config({ good }), "slow", wishes);
      return `${exit(ran)}, ${seconds({ ms: ran.lastMs })}; ${await sent(act.stage)}×`;
    },
  },
  {
    title: "the server dies in mid-call: that call; the next one",
    async cell(act) {
      const config = await act.config({ good: flaky("die-on-call=slow") });
      const first = await act.call(config, "slow", { args: { ms: 1000 } });
      // A session goes on with what there is.
      const again = act.client.call({ config, tool: "echo", ...hello }).slice(-1);
      const next = await act.play(again);
      const that = `${exit(first)}, ${seconds({ ms: first.lastMs })}`;
      if (said(next)) return `${that}; answers`;
      if (!act.client.restart) return `${that}; ${exit(next)}`;
      await act.play([act.client.restart]);
      const last = await act.play(again);
      return `${that}; ${exit(next)}${said(last) ? ", answers after `restart`" : ""}`;
    },
  },
  {
    title: "left 2 s after Ctrl-C in mid-call: of a server; of one deaf to signals, with a child",
    async cell(act) {
      const plain = await left(act, flaky());
      const deaf = await left(act, flaky("deaf", "deaf-grandchild=quiet"));
      return `${plain}; ${deaf}`;
    },
  },
  {
    title: "a list whose cursor repeats",
    async cell(act) {
      const argvs = act.client.listOne?.(await act.config({ good: flaky("same-cursor") }));
      if (!argvs) return "–";
      const ran = await act.play(argvs, { limitMs: 20_000 });
      if (ran.code === undefined) return "no end in 20 s";
      const tools = new Set(ran.out.match(/"(?:tool_2|echo|slow|env|received|fail|pid)"/g));
      return `${tools.size} tools, ${exit(ran)}, ${seconds(ran)}`;
    },
  },
  {
    title: "`required: null` in one tool of three: tools listed; a call of another one",
    async cell(act) {
      const config = await act.config({ good: flaky(`tools-are=${THREE}`) });
      const argvs = act.client.listOne?.(config);
      let listed = "–";
      if (argvs) {
        const ran = await act.play(argvs);
        listed = `${new Set(offered(ran).match(/"(?:echo|env|pid)"/g)).size}`;
      }
      const called = await act.call(config, "echo", hello);
      return `${listed}; ${said(called) ? "answers" : exit(called)}`;
    },
  },
  {
    title: "JSON alone on stdout: lines on both of the server's streams; the server dies",
    async cell(act) {
      const noisy = await act.call(
        await act.config({ good: flaky("banner", "stderr-flood=10000") }),
        "echo",
        hello,
      );
      await act.close();
      const dead = await act.call(await act.config({ good: flaky("die-on-call") }));
      return [noisy, dead].map((ran) => isJson(ran) ? "yes" : "no").join("; ");
    },
  },
  {
    title: "a server that speaks the 2026-07-28 revision alone",
    async cell(act) {
      const { command, args } = flaky();
      const good = { command, args: (args as string[]).with(-1, "--modern") };
      const ran = await act.call(await act.config({ good }), "echo", { ...hello, newer: true });
      return said(ran) ? "answers" : exit(ran);
    },
  },
  {
    title: "an older server, silent on that revision's first message: first call; second call",
    async cell(act) {
      const config = await act.config({ good: flaky("mute-discover") });
      const first = await act.call(config, "echo", { ...hello, newer: true });
      await act.close();
      const second = await act.call(config, "echo", { ...hello, newer: true });
      return [first, second].map((ran) =>
        said(ran) ? seconds(ran) : `${exit(ran)}, ${seconds(ran)}`
      )
        .join("; ");
    },
  },
  {
    title: "a server that takes 10 s to leave: the whole call",
    async cell(act) {
      const ran = await act.call(
        await act.config({ good: flaky("slow-end=10000") }),
        "echo",
        hello,
      );
      return said(ran) ? seconds(ran) : exit(ran);
    },
  },
];

/** How much of this server a Ctrl-C leaves, and `close` where a session is meant to go on. */
async function left(act: Act, good: Entry): Promise<string> {
  let before = 0;
  await act.call(await act.config({ good }), "slow", {
    args: { ms: 600_000 },
    limitMs: 40_000,
    async interrupt() {
      await rest(4000);
      before = count(await act.stage.living());
    },
  });
  await rest(2000);
  const after = count(await act.stage.living());
  if (!act.client.close) return `${after} of ${before}`;
  await act.close();
  await rest(2000);
  const closed = count(await act.stage.living());
  await act.stage.sweep();
  return `${after} of ${before} (${closed} after \`close\`)`;
}

/** Nothing, or JSON. */
function isJson({ out }: Ran): boolean {
  try {
    return out.trim() === "" || JSON.parse(out) !== undefined;
  } catch {
    return false;
  }
}

/** What is listed, without what is told to be held back. */
const offered = ({ out }: Ran) => out.split('"heldBack"')[0]!;
