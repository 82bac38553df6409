/** One visit to a stranger: met, listed, called rightly and wrongly, left. What happened, as data. @module */
import assert from "node:assert/strict";
import type { Opener } from "../../lib/client/handshake.ts";
import { ProtocolError } from "../../lib/protocol/errors.ts";
import type { ToolResult } from "../../lib/protocol/tools.ts";
import type { Registry } from "../../lib/registry/registry.ts";
import type { ServerStatus } from "../../lib/registry/status.ts";
import { stdioTransport } from "../../lib/transport/stdio.ts";
import type { Transport } from "../../lib/transport/transport.ts";
import { realClock } from "../../lib/cli/world.ts";
import { askByHand, type Program } from "../strangers/raw.ts";
import { LIMITS, registryOf } from "./clients.ts";
import { alive } from "./processes.ts";
import { newPlace, programOf, type Stranger } from "./strangers.ts";
import { type Crossed, ear } from "./strangers_frames.ts";

export interface Visit {
  stranger: Stranger;
  status: ServerStatus;
  /** What an exchange by hand says. */
  byHand: { version: string; tools: string[] };
  good: ToolResult;
  /** A tool that we know it does not have: nothing is sent. */
  unlisted: { result: ToolResult; sent: number };
  /** A tool that it listed and does not have any more. */
  unknown: ToolResult;
  bad: ToolResult;
  /** The good call once more, after all this. */
  after: ToolResult;
  /** Each process had a connection of its own. */
  crossed: Crossed[];
  /** Processes that were there, and are gone. */
  pids: number[];
}

const visits = new Map<Stranger, Promise<Visit>>();

/** Visits each stranger once, whoever asks. */
export function visit(stranger: Stranger): Promise<Visit> {
  let made = visits.get(stranger);
  if (!made) visits.set(stranger, made = make(stranger));
  return made;
}

async function make(stranger: Stranger): Promise<Visit> {
  await using place = await newPlace();
  const program = programOf(stranger, place);
  const byHand = await askByHand(program);
  const { alias, good, bad } = stranger;
  const host = new Host();
  const registry = patientRegistry({ [alias]: () => haunted(host.open(program)) });
  try {
    await registry.attachAll();
    const call = (tool: string, args: object) => registry.call(`${alias}.${tool}`, { ...args });
    const first = await call(good.tool, good.args(place));
    const before = host.crossed.flatMap(({ sent }) => sent).length;
    const unlisted = await call("never_listed", {});
    const sent = host.crossed.flatMap(({ sent }) => sent).length - before;
    const unknown = await call(GHOST.name, {});
    const wrong = await call(bad.tool, bad.args);
    const after = await call(good.tool, good.args(place));
    const status = registry.servers()[0]!;
    const pids = host.processes();
    assert(status.state !== "online" || pids.length > 0, "its processes can't be seen");
    await registry[Symbol.asyncDispose]();
    assert.deepEqual(host.processes(), [], "it is still there");
    return {
      stranger,
      status: { ...status, tools: status.tools.filter(({ name }) => name !== GHOST.name) },
      byHand,
      good: first,
      unlisted: { result: unlisted, sent },
      unknown,
      bad: wrong,
      after,
      crossed: host.crossed,
      pids,
    };
  } finally {
    await registry[Symbol.asyncDispose]();
  }
}

/** A registry that never hedges a probe: on a slow machine a server of both eras would become legacy. */
export function patientRegistry(openers: Readonly<Record<string, Opener>>): Registry {
  const limits = { ...LIMITS, probeMs: 60_000, handshakeMs: 60_000 };
  return registryOf(openers, {}, { limits });
}

/** Starts programs so that all their processes can be found again, and hears what is said to them. */
export class Host {
  readonly crossed: Crossed[] = [];
  readonly groups = new Set<number>();
  /** In the environment of every process that is started, and of all that those start. */
  readonly mark = crypto.randomUUID();

  open({ command, args, env, cwd }: Program): Transport {
    const { onFrame, ...crossed } = ear();
    this.crossed.push(crossed);
    return stdioTransport({
      command,
      args,
      env: { ...env, [MARK]: this.mark },
      cwd,
      clock: realClock,
      groups: this.groups,
      onFrame,
    });
  }

  /** Everything alive that was started here, wherever it went; the leaders alone where there is no /proc. */
  processes(): number[] {
    return Deno.build.os === "linux" ? marked(this.mark) : [...this.groups].filter(alive);
  }
}

export const MARK = "FUSEBOX_STRANGER";

export function marked(mark: string): number[] {
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (Deno.readTextFileSync(`/proc/${name}/environ`).includes(`${MARK}=${mark}`)) {
        found.push(Number(name));
      }
    } catch {
      // It left meanwhile, or is somebody else's.
    }
  }
  return found.filter(alive);
}

const GHOST = { name: "no_such_tool", inputSchema: { type: "object" } };

/** The same server, with one more tool in its list that it knows nothing of. */
function haunted(transport: Transport): Transport {
  return {
    ...transport,
    async exchange(call, options) {
      const reply = await transport.exchange(call, options);
      if (call.method !== "tools/list" || "error" in reply) return reply;
      const { tools, nextCursor } = reply.result;
      if (!Array.isArray(tools) || nextCursor !== undefined) return reply;
      return { ...reply, result: { ...reply.result, tools: [...tools, GHOST] } };
    },
  };
}

/** In what way it said no. */
export function shapeOf({ isError, failure }: ToolResult): string {
  if (failure instanceof ProtocolError) return `error ${failure.code}`;
  if (failure) return failure.message;
  return isError ? "`isError`" : "took it";
}

export function textOf({ content }: ToolResult): string {
  return content.map(({ text }) => typeof text === "string" ? text : "").join("");
}
