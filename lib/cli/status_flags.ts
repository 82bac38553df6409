/** `--status[=PORT]` and `--status-host`: a flag whose value may be left out, and where the two make sense. @module */
import { UsageError } from "../kit/usage.ts";
import type { Command } from "./args.ts";

/** What spells "FUSE" on a telephone. */
export const DEFAULT_PORT = 3873;

/** The port of `--status`; without a value the usual one. */
export function readPort(text: string): number {
  if (text === "") return DEFAULT_PORT;
  const port = /^\d+$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`Cannot read --status=${text}: not a port from 0 to 65535`, {
    hint: "--status=0 takes any that is free; --status-host names another host",
  });
}

/** `--status` has a value only behind `=`: what follows it may be the prompt. */
export function withPort(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return argv.map((arg, at) => {
    if (arg !== "--status" || end >= 0 && at > end) return arg;
    const next = argv[at + 1] ?? "";
    if (!/^\d+$/.test(next)) return "--status=";
    throw new UsageError(`Cannot read --status ${next}: its port stands behind "="`, {
      hint: `--status=${next}; a prompt that is a number stands behind --`,
    });
  });
}

/** Elsewhere there is no page, and a host without a page is a mistake. */
export function checkStatus(
  command: Command,
  port: string | undefined,
  host: string | undefined,
): void {
  const flag = port !== undefined ? "--status" : host !== undefined ? "--status-host" : undefined;
  if (flag === undefined || command === "status") return;
  if (command !== "ask") {
    throw new UsageError(`Cannot use ${flag} with "fusebox ${command}": it has no status page`, {
      hint: "fusebox status shows the servers; fusebox ask --status shows a run",
    });
  }
  if (port === undefined) {
    throw new UsageError("Cannot use --status-host without --status", {
      hint: "--status, or --status=PORT, shows the page",
    });
  }
}
