/** Who may run a tool: policy decides, and where it does not, a person is asked. @module */
import { decide, holds, readAnswer, shellWord, unasked } from "../agent/approve.ts";
import { question } from "../agent/question.ts";
import type { Approve } from "../agent/terms.ts";
import type { Params } from "../protocol/types.ts";
import type { Target } from "../tools/tool.ts";
import type { Answers } from "./answers.ts";
import type { Args } from "./args.ts";
import type { Household } from "./household.ts";
import type { Screen } from "./screen.ts";
import type { World } from "./world.ts";

type Verdict = Awaited<ReturnType<Approve>>;
const recalled: Verdict = { ok: true, by: "remembered" };
const said: Verdict = { ok: true, by: "user" };

/** Asks one question at a time, whatever the model wants side by side. */
export function approver(args: Args, house: Household, world: World, screen: Screen): Approve {
  const { config: { servers, allow, deny }, builtIn } = house;
  const policy = {
    allow: [...allow, ...args.allow, ...builtIn],
    deny,
    yes: args.yes,
    trusted: servers.filter(({ trusted }) => trusted).map(({ alias }) => alias),
  };
  const { terminal } = world;
  let opened: Promise<Answers> | undefined;
  const answers = () =>
    opened ??= import("./answers.ts").then(({ Answers }) =>
      new Answers(servers, world, (line) => screen.say(line, "yellow"))
    );
  let last: Promise<unknown> = Promise.resolve();
  let told = false;

  const isRemembered = async (target: Target): Promise<boolean> =>
    holds(await (await answers()).recall(target.ref), target);

  async function ask(target: Target, args: Params, signal: AbortSignal): Promise<Verdict> {
    // "Always" may have been said while this one was waiting.
    if (await isRemembered(target)) return recalled;
    const { alias, tool } = target.ref;
    const name = `${alias}.${tool}`;
    // What is cut could leave the end of a secret.
    const asked = question(target, world.secrets.hideIn(args));
    const answer = readAnswer(await screen.aside(() => terminal!.ask(asked, signal)));
    if (answer === "no") return { ok: false, why: `the user refused "${name}"`, by: "user" };
    if (answer === "once") return said;
    const book = await answers();
    let kept = answer === "server" && await book.remember(alias);
    // Who was shown this very tool and says "always this server" means it too, whatever it calls itself.
    if (!await isRemembered(target)) kept = await book.remember(alias, tool);
    const back = shellWord(answer === "server" ? alias : name);
    if (kept) screen.say(`Remembered: fusebox approvals revoke ${back} takes it back`, "dim");
    return said;
  }

  return async (use, target, signal = world.signal) => {
    const decision = decide(target, policy);
    if (decision.kind === "refuse") return { ok: false, why: decision.why, by: "deny" };
    if (decision.kind === "run") {
      if (decision.by === "yes" && !told) {
        told = true;
        screen.say("--yes: whatever is not denied runs unasked", "yellow");
      }
      return { ok: true, by: decision.by };
    }
    const remembered = isRemembered(target);
    if (!terminal) {
      return await remembered ? recalled : { ok: false, why: unasked(target), by: "no_terminal" };
    }
    // Its place in the queue is taken at once, so that questions come in the order of the uses; who
    // needs no question waits for nobody's.
    const turn = last.then(async () =>
      await remembered ? recalled : await ask(target, target.args ?? use.args, signal)
    );
    last = turn.catch(() => {});
    return await remembered ? recalled : await turn;
  };
}
