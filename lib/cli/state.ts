/** The folder of what the user decided, or why there is none. @module */
import { UsageError } from "../kit/usage.ts";
import type { State } from "./disk.ts";
import { plain } from "./disk.ts";
import type { World } from "./world.ts";

/** Never throws: a run goes on without, and asks again. */
export async function openState(world: World): Promise<{ state: State } | { why: string }> {
  try {
    const state = await world.openState();
    return state ? { state } : { why: "no folder for it is known (HOME is not set)" };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * For a command that is about nothing else. What its disk refuses is thrown as what could not be done:
 * `what` is that, "take back approvals".
 * @throws {UsageError}
 */
export async function needState(what: string, world: World): Promise<State> {
  const refused = (why: string) =>
    new UsageError(`Cannot ${what}: ${why}`, {
      hint: "XDG_STATE_HOME names the folder that decisions are kept under",
    });
  const told = <A extends unknown[], T>(work: (...args: A) => Promise<T>) => async (...args: A) => {
    try {
      return await work(...args);
    } catch (error) {
      throw refused(plain(error));
    }
  };
  const opened = await openState(world);
  if ("why" in opened) throw refused(opened.why);
  const { secret, read, write, remove, list } = opened.state;
  return { secret, read: told(read), write: told(write), remove: told(remove), list: told(list) };
}
