/** Who may run a tool: policy decides, and where it does not, a person is asked. @module */
import { type Answer, decide, question, readAnswer } from "../agent/approve.ts";
import type { Approve } from "../agent/terms.ts";
import type { Args } from "./args.ts";
import type { Household } from "./household.ts";
import type { Screen } from "./screen.ts";
import type { World } from "./world.ts";

/** Asks one question at a time, whatever the model wants side by side. */
export function approver(args: Args, house: Household, world: World, screen: Screen): Approve {
  const policy = {
    allow: [...house.config.allow, ...args.allow, ...house.builtIn],
    deny: house.config.deny,
    yes: args.yes,
  };
  const { terminal } = world;
  /** Exact names: a tool may call itself "*", and that must not become a pattern. */
  const always = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  return (use, target, signal = world.signal) => {
    const name = `${target.ref.alias}.${target.ref.tool}`;
    const decision = decide(target, policy, terminal !== undefined);
    if (decision.kind === "run") return Promise.resolve({ ok: true });
    if (decision.kind === "refuse") return Promise.resolve({ ok: false, why: decision.why });
    const answer = last.then(async () => {
      // "Always" may have been said while this one was waiting.
      if (always.has(name)) return { ok: true } as const;
      const asked = question(target, target.args ?? use.args);
      const said: Answer = readAnswer(await screen.aside(() => terminal!.ask(asked, signal)));
      if (said === "always") always.add(name);
      return said === "no"
        ? { ok: false, why: `the user refused "${name}"` } as const
        : { ok: true } as const;
    });
    last = answer.catch(() => {});
    return answer;
  };
}
