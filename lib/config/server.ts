/** One entry of `servers:` to a server that can be attached, or that says why it never can. @module */
import {
  DEFAULT_REST_MS,
  type FusePolicy,
  type Limits,
  type Reach,
  type ServerConfig,
} from "./config.ts";
import { fusePolicy } from "./fuse.ts";
import { durationOf, serverLimits, toolLimits } from "./limits.ts";
import {
  complain,
  fieldsOf,
  flagOf,
  type Place,
  switchOf,
  textMapOf,
  textOf,
  textsOf,
} from "./shape.ts";

/** A server as its entry says it, before the limits of the files are laid under its own. */
export interface ServerDraft extends Omit<ServerConfig, "limits" | "fuse"> {
  limits: Partial<Limits>;
  fuse: Partial<FusePolicy>;
  /** The key as it was written, and where, for messages. */
  written: string;
  path: string;
  line?: number;
}

const STDIO_KEYS = ["command", "args", "env", "cwd", "inheritEnv"];
const HTTP_KEYS = ["url", "headers"];

export const SERVER_KEYS: readonly string[] = [
  ...STDIO_KEYS,
  ...HTTP_KEYS,
  "description",
  "required",
  "trusted",
  "pins",
  "disabled",
  "tools",
  "limits",
  "fuse",
  "idle",
  "keepAlive",
];

const TOOL_KEYS = ["allow", "deny", "limits"];

const WRITE_TOOLS = 'Write it under tools: tools: { deny: ["delete_*"] }';
const WRITE_LIMITS = "Write it under limits: limits: { idle: 60s }";
const LEAVE_TYPE = "Leave it out: a command means stdio, a url means HTTP";

/** For words that other clients use, or that stand in the wrong place. */
const HINTS = new Map([
  ["type", LEAVE_TYPE],
  ["transport", LEAVE_TYPE],
  ["serverUrl", "Write url"],
  ["httpUrl", "Write url"],
  ["environment", "Write env"],
  ["envFile", "Write the variables under env: ${VAR} is taken from the environment"],
  ["enabled", "Write disabled: true to switch a server off"],
  ["timeout", WRITE_LIMITS],
  ["cap", WRITE_LIMITS],
  ["handshake", WRITE_LIMITS],
  ["allow", WRITE_TOOLS],
  ["deny", WRITE_TOOLS],
  ["includeTools", WRITE_TOOLS],
  ["excludeTools", WRITE_TOOLS],
  ["disabledTools", WRITE_TOOLS],
  ["alwaysAllow", 'Write it at the top of the file: allow: ["alias.tool"]'],
  ["autoApprove", 'Write it at the top of the file: allow: ["alias.tool"]'],
  ["<<", "Merge keys are not read here: an alias for a whole value (env: *shared) is"],
]);

export function readServer(
  named: { alias: string; written: string; file: string },
  place: Place,
): ServerDraft {
  const fields = fieldsOf(place, SERVER_KEYS, HINTS);
  const toolsPlace = fields.get("tools");
  const tools = toolsPlace ? fieldsOf(toolsPlace, TOOL_KEYS) : new Map<string, Place>();
  const description = textOf(fields.get("description"));
  const { line } = place.tree;
  return {
    ...named,
    path: place.path,
    ...(line === undefined ? {} : { line }),
    ...reachOf(fields),
    ...(description === undefined ? {} : { description }),
    ...(fields.has("idle") && { restMs: durationOf(fields.get("idle")!) ?? DEFAULT_REST_MS }),
    ...(flagOf(fields.get("keepAlive")) && { keepAlive: true }),
    required: flagOf(fields.get("required")) ?? false,
    trusted: flagOf(fields.get("trusted")) ?? false,
    ...(switchOf(fields.get("pins")) === false && { pins: false }),
    disabled: flagOf(fields.get("disabled")) ?? false,
    tools: {
      allow: textsOf(tools.get("allow")) ?? ["*"],
      deny: textsOf(tools.get("deny")) ?? [],
      limits: toolLimits(tools.get("limits")),
    },
    limits: serverLimits(fields.get("limits")),
    fuse: fusePolicy(fields.get("fuse")),
  };
}

/** What stands in for the reach of a server that has none. */
export const NOWHERE: Reach = { kind: "stdio", command: "", args: [], env: {}, inheritEnv: false };

function reachOf(fields: ReadonlyMap<string, Place>): { reach: Reach; problem?: string } {
  const command = textOf(fields.get("command"), "Its arguments stand under args")?.trim();
  const url = textOf(fields.get("url"))?.trim();
  if (command && url) {
    return { reach: NOWHERE, problem: "it has both a command and a url: keep one of them" };
  }
  if (url) {
    misplaced(fields, STDIO_KEYS, "a url goes with headers");
    const headers = textMapOf(fields.get("headers")) ?? {};
    const problem = urlProblem(url);
    return { reach: { kind: "http", url, headers }, ...(problem ? { problem } : {}) };
  }
  if (!command) return { reach: NOWHERE, problem: "it has neither a command nor a url" };
  misplaced(fields, HTTP_KEYS, "a command goes with args, env and cwd");
  const cwd = textOf(fields.get("cwd"));
  const reach: Reach = {
    kind: "stdio",
    command,
    args: textsOf(fields.get("args")) ?? [],
    env: variablesOf(fields.get("env")),
    ...(cwd ? { cwd } : {}),
    inheritEnv: flagOf(fields.get("inheritEnv")) ?? false,
  };
  return { reach };
}

function misplaced(fields: ReadonlyMap<string, Place>, keys: readonly string[], why: string): void {
  for (const key of keys) {
    const place = fields.get(key);
    if (place && key !== "command" && key !== "url") {
      complain(place, `No use for ${key} here: ${why}`);
    }
  }
}

function variablesOf(place: Place | undefined): Record<string, string> {
  const variables = textMapOf(place) ?? {};
  for (const name of Object.keys(variables)) {
    if (name !== "" && !/[=\0]/.test(name)) continue;
    complain(place!, `No variable can be called ${JSON.stringify(name)}`);
  }
  return variables;
}

/** A url with `${VAR}` in it can only be judged once it is attached. A url may hold a secret. */
function urlProblem(url: string): string | undefined {
  if (url.includes("${") || /^https?:$/.test(URL.parse(url)?.protocol ?? "")) return undefined;
  return "its url is no address that begins with https:// or http://";
}
