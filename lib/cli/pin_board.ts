/** Pins for the servers of a run: what compares them is loaded while a server starts, and not before. @module */
import type { Reach } from "../config/config.ts";
import type { Pins, ServerOptions } from "../registry/server_options.ts";
import type { PinDesk, PinNews } from "./pinning.ts";
import type { World } from "./world.ts";

export interface PinBoard {
  /** The same server with its pins. `resolved` gives its `${VAR}`s their values, and throws where that can't be. */
  over(options: ServerOptions, reach: Reach, resolved: () => Reach): ServerOptions;
  /** To be asked before anything is done with what was listed. @throws {FrozenPins} */
  settle(): Promise<void>;
  /** Aborted when the user leaves, and when pins that are frozen are broken later on. */
  signal: AbortSignal;
}

/** `frozen`: nothing may change in this run, and nothing is pinned anew. */
export function pinBoard(
  frozen: boolean,
  world: World,
  tell: (news: PinNews) => void = () => {},
): PinBoard {
  const breach = new AbortController();
  const onBreach = (error: Error) => breach.abort(error);
  let loaded: Promise<PinDesk> | undefined;
  const desk = () =>
    loaded ??= import("./pinning.ts").then(({ PinDesk }) =>
      new PinDesk({ frozen, world, tell, onBreach })
    );
  return {
    over(options, reach, resolved) {
      const { alias } = options;
      const denies = (tool: string) => options.denies(tool) !== undefined;
      let own: Promise<Pins> | undefined;
      const pins = () => own ??= desk().then((it) => it.pinsOf({ alias, reach, denies, resolved }));
      return {
        ...options,
        open: () => {
          pins();
          return options.open();
        },
        pins: { check: async (list, recalled) => await (await pins()).check(list, recalled) },
      };
    },
    settle: async () => frozen ? await (await desk()).settle() : undefined,
    signal: frozen ? AbortSignal.any([world.signal, breach.signal]) : world.signal,
  };
}
