/** `${VAR}` in what starts a server, resolved when it is attached and not before. @module */
import type { Reach } from "./config.ts";

export type Lookup = (name: string) => string | undefined;

/** A variable that is not set, and where it was wanted: `env.NOTES_TOKEN`. */
export interface Missing {
  name: string;
  at: string;
}

/** A server cannot be attached because variables are not set. The values of others are not in it. */
export class MissingVariable extends Error {
  override readonly name = "MissingVariable";
  readonly missing: readonly Missing[];
  constructor(missing: readonly Missing[]) {
    const names = [...new Set(missing.map(({ name }) => name))];
    const places = [...new Set(missing.map(({ at }) => at))].join(", ");
    super(`${names.join(", ")} ${names.length === 1 ? "is" : "are"} not set (for ${places})`);
    this.missing = missing;
  }
}

/**
 * The reach with `${VAR}`, `${VAR:-default}` and `${env:VAR}` resolved in every string, and a leading
 * `~/` of command and cwd. A default stands for a variable that is not set or empty, and is taken
 * as it is, like a value: nothing is resolved twice. What has another form stays as it is written.
 *
 * @throws MissingVariable naming all that are not set
 */
export function interpolate(reach: Reach, env: Lookup): Reach {
  const missing: Missing[] = [];
  const fill = (text: string, at: string) =>
    resolve(text, env, (name) => missing.push({ name, at }));
  const fillAll = (texts: Readonly<Record<string, string>>, at: string) =>
    Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, fill(text, `${at}.${key}`)]),
    );
  const home = env("HOME") || env("USERPROFILE");
  const path = (text: string, at: string) =>
    fill(home && /^~(?:$|[\\/])/.test(text) ? home + text.slice(1) : text, at);

  const filled: Reach = reach.kind === "http"
    ? {
      kind: "http",
      url: fill(reach.url, "url"),
      headers: fillAll(reach.headers, "headers"),
    }
    : {
      kind: "stdio",
      command: path(reach.command, "command"),
      args: reach.args.map((arg, i) => fill(arg, `args[${i}]`)),
      env: fillAll(reach.env, "env"),
      ...(reach.cwd === undefined ? {} : { cwd: path(reach.cwd, "cwd") }),
      inheritEnv: reach.inheritEnv,
    };
  if (missing.length > 0) throw new MissingVariable(missing);
  return filled;
}

// `${input:token}` is what VS Code asks its user for. It must not be sent as if it were the token.
const OPENING = /\$\{(?:(?:env:)?([A-Za-z_][A-Za-z0-9_]*)|(input:[\w.-]+))(:-|\})/y;

function resolve(text: string, env: Lookup, miss: (name: string) => void): string {
  let result = "";
  let at = 0;
  let closing: ((open: number) => number) | undefined;
  while (true) {
    const dollar = text.indexOf("${", at);
    if (dollar < 0) return result + text.slice(at);
    OPENING.lastIndex = dollar;
    const [opening, name, input, after] = OPENING.exec(text) ?? [];
    const rest = dollar + (opening?.length ?? 2);
    const end = after === ":-" ? (closing ??= closings(text))(dollar + 1) : rest;
    if (opening === undefined || end < 0) {
      result += text.slice(at, dollar + 2);
      at = dollar + 2;
      continue;
    }
    const value = name === undefined ? undefined : env(name);
    result += text.slice(at, dollar);
    if (after === ":-") result += value || text.slice(rest, end - 1);
    else if (value === undefined) miss(name ?? input!);
    else result += value;
    at = end;
  }
}

/**
 * Says for a default that begins behind the brace at `open` where it ends: behind the brace that
 * pairs with this one, else behind the next; -1 when there is none. Reads the text once.
 */
function closings(text: string): (open: number) => number {
  const pairs = new Map<number, number>();
  const waiting: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "{") waiting.push(at);
    else if (text[at] === "}" && waiting.length > 0) pairs.set(waiting.pop()!, at);
  }
  const last = text.lastIndexOf("}");
  return (open) => {
    const pair = pairs.get(open) ?? (open < last ? text.indexOf("}", open) : -1);
    return pair < 0 ? -1 : pair + 1;
  };
}
