/** How a server is started, and the name its entry in the catalogue is filed under. @module */
import { canonical } from "../../kit/json.ts";
import { MODERN_VERSIONS } from "../../protocol/modern.ts";
import { FORMAT } from "./entry.ts";
import { hmac } from "./seal.ts";

/** All that decides what answers: who starts something else, or as someone else, has another entry. */
export type Start =
  | {
    kind: "stdio";
    command: string;
    args: readonly string[];
    /** The folder it runs in, absolute; none when it is the same wherever it runs. */
    cwd?: string;
    /** What the configuration adds, resolved. Not what is inherited. */
    env: Readonly<Record<string, string>>;
    /** Where the command is a file: an upgrade makes another of it. */
    executable?: { path: string; size: number; modifiedMs: number };
  }
  | { kind: "http"; url: string; headers: Readonly<Record<string, string>> };

/**
 * The same for the same start, in 64 hex digits. Arguments, addresses and the values of environment
 * and headers may be secrets: all of it is hashed under `secret`, so that no guess can be checked
 * against a file's name.
 */
export function startKey(start: Start, secret: string): Promise<string> {
  const executable = start.kind === "stdio" ? start.executable : undefined;
  const versions = { format: FORMAT, protocol: MODERN_VERSIONS };
  return hmac(secret, canonical([start.kind, identity(start, executable), versions]));
}

/**
 * What a user decided about a server is filed under this, hashed like the other. It outlives upgrades,
 * of the server and of us: only another command, folder, environment or address is another server.
 */
export function serverKey(start: Start, secret: string): Promise<string> {
  const path = start.kind === "stdio" ? start.executable?.path : undefined;
  return hmac(secret, canonical(["decided", start.kind, identity(start, path)]));
}

function identity(start: Start, executable: unknown): unknown {
  return start.kind === "stdio"
    ? {
      command: start.command,
      args: start.args,
      cwd: start.cwd,
      env: pairs(start.env, (name) => name),
      executable,
    }
    : { url: start.url, headers: pairs(start.headers, (name) => name.toLowerCase()) };
}

function pairs(
  values: Readonly<Record<string, string>>,
  fold: (name: string) => string,
): readonly (readonly [string, string])[] {
  const all = Object.entries(values).map(([name, value]) => [fold(name), value] as const);
  return all.sort(([a, x], [b, y]) => a < b ? -1 : a > b ? 1 : x < y ? -1 : x > y ? 1 : 0);
}
