/** `fusebox serve-demo`: one of the built-in servers, on stdio. @module */
import { dialectFrom, type DialectOptions } from "../../../servers/dialect.ts";
import { notes } from "../../../servers/notes.ts";
import { type Handler, serveStdio } from "../../../servers/serve.ts";
import { tickets } from "../../../servers/tickets.ts";
import { abortable } from "../../kit/abort.ts";
import { UsageError } from "../../kit/usage.ts";
import type { Args } from "../args.ts";
import { EXIT } from "../failure.ts";
import type { World } from "../world.ts";

const SERVERS: Readonly<Record<string, (options: DialectOptions) => Handler>> = { notes, tickets };

/** Serves until stdin ends or the user leaves. */
export async function serveDemoCommand(args: Args, world: World): Promise<number> {
  const [name = "", ...flags] = args.words;
  const make = Object.hasOwn(SERVERS, name) ? SERVERS[name] : undefined;
  if (!make) {
    const why = name === "" ? ": nothing is named" : ` "${name}": no such built-in server`;
    throw new UsageError(`Cannot serve${why}`, {
      hint: `There are: ${Object.keys(SERVERS).join(", ")}`,
    });
  }
  const handler = make(readDialect(flags));
  await abortable(serveStdio(handler), world.signal);
  return EXIT.ok;
}

function readDialect(flags: string[]): DialectOptions {
  try {
    return dialectFrom(flags);
  } catch (error) {
    throw new UsageError((error as Error).message, { hint: "The default is --modern" });
  }
}
