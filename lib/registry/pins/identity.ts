/** Which server pins belong to: the name that they are filed under. @module */
import type { Reach } from "../../config/config.ts";
import { canonical } from "../../kit/json.ts";
import { sha256 } from "../catalog/seal.ts";

/** `./server`, `..`, `dist/index.js`: what it means depends on the folder that we are started in. */
const RELATIVE =
  /^\.{1,2}(?:[/\\]|$)|^(?![-/\\~@]|[A-Za-z]:)[^:]*\.(?:[cm]?[jt]sx?|py|rb|sh|php|pl|jar)$/;

/**
 * The same for the same command or url under the same alias, as the configuration writes it, `${VAR}`s
 * and all. That is less than what the catalogue and approvals go by, on purpose: an upgraded executable,
 * a new token, another folder or another version of fusebox is no reason to trust anew what a server
 * says, but just when it has to be looked at. Of variables and headers only the names count: their values are
 * secrets, and change.
 */
export async function pinKey(alias: string, reach: Reach, folder: string): Promise<string> {
  const identity = reach.kind === "http"
    ? { url: reach.url, headers: Object.keys(reach.headers).map((it) => it.toLowerCase()).sort() }
    : {
      command: reach.command,
      args: reach.args,
      cwd: reach.cwd,
      env: Object.keys(reach.env).sort(),
      here: dependsOnFolder(reach) ? folder : undefined,
    };
  return `${alias}.${(await sha256(canonical([alias, identity]))).slice(0, 24)}`;
}

function dependsOnFolder({ command, args, cwd = "" }: Reach & { kind: "stdio" }): boolean {
  const isPlaced = /^(?:[/\\~]|[A-Za-z]:)/.test(cwd);
  return !isPlaced && [command, ...args].some((word) => RELATIVE.test(word));
}
