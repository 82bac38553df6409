/** Servers that misbehave on request, over every transport, with each frame that we send looked at. @module */
import assert from "node:assert/strict";
import { ROOT } from "./paths.ts";
import type { Opener } from "../../lib/client/handshake.ts";
import type { Clock } from "../../lib/kit/clock.ts";
import { memoryTransport } from "../../lib/transport/memory.ts";
import { stdioTransport } from "../../lib/transport/stdio.ts";
import type { Transport } from "../../lib/transport/transport.ts";
import { realClock } from "../../lib/cli/world.ts";
import { flaky } from "../../servers/flaky.ts";
import type { Handler } from "../../servers/serve.ts";

export type Era = "modern" | "legacy" | "dual";
// deno-lint-ignore no-explicit-any -- a frame is whatever JSON crossed
export type Frame = any;

/** What crossed to and from one server, in order, over all its processes. */
export class Log {
  readonly sent: Frame[] = [];
  readonly received: string[] = [];
  #wanted: { method: string; nth: number; found: () => void }[] = [];

  note(direction: "sent" | "received", line: string): void {
    if (direction === "received") return void this.received.push(line);
    assert.match(line, /^[^\n]+\n$/, "a frame is one line");
    const frame = JSON.parse(line);
    this.sent.push(frame);
    this.#wanted = this.#wanted.filter(({ method, nth, found }) => {
      if (this.methods.filter((it) => it === method).length < nth) return true;
      found();
      return false;
    });
  }

  get methods(): string[] {
    return this.sent.map(({ method }) => method ?? "(reply)");
  }

  /** Resolves once the nth frame with this method was sent. */
  until(method: string, nth = 1): Promise<void> {
    if (this.methods.filter((it) => it === method).length >= nth) return Promise.resolve();
    return new Promise((found) => this.#wanted.push({ method, nth, found }));
  }
}

export interface OpenOptions {
  era?: Era;
  clock?: Clock;
  log?: Log;
  lineCapBytes?: number;
  groups?: Set<number>;
  env?: Record<string, string>;
  onStderr?: (line: string) => void;
}

/** What was wrong with frames that a test sent: found as they went, told when the test has ended. */
const problems: string[] = [];
Deno.test.afterEach(() => assert.deepEqual(problems.splice(0), []));

/** Where all that is sent is collected, for the official schemas to look at (tests/strangers). */
const FRAMES = Deno.env.get("FUSEBOX_TEST_FRAMES");

type Watch = (direction: "sent" | "received", line: string) => void;

/** One connection: what may be sent on it depends on the era it has reached. */
function watched(log: Log): Watch {
  const ids = new Set<unknown>();
  let initialize: unknown;
  let era: "unknown" | "modern" | "legacy" = "unknown";
  return (direction, line) => {
    log.note(direction, line);
    const frame = parsed(line);
    if (direction === "received") {
      const won = initialize !== undefined && String(frame?.id) === String(initialize) &&
        "result" in frame;
      if (won && era === "unknown") era = "legacy";
      return;
    }
    if (FRAMES) Deno.writeTextFileSync(FRAMES, line, { append: true });
    if (frame.method !== undefined && frame.id !== undefined) {
      if (ids.has(frame.id)) problems.push(`the id ${frame.id} was used twice`);
      ids.add(frame.id);
    }
    problems.push(...frameProblems(frame, era, initialize !== undefined));
    if (frame.method === "initialize") initialize = frame.id;
    // The first request behind the handshake shows what we took the server for.
    else if (isCall(frame) && frame.method !== "server/discover" && era === "unknown") {
      era = "modern";
    }
  };
}

function parsed(line: string): Frame {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // A banner of the server's.
  }
}

const isCall = (frame: Frame) => frame.method !== undefined && frame.id !== undefined;

/** The rules of checklist 2–5, 15, 16, 37, 38, 56, 64, which official schemas let pass in part. */
export function frameProblems(
  frame: Frame,
  era: "unknown" | "modern" | "legacy",
  initialized: boolean,
): string[] {
  const found: string[] = [];
  const shown = JSON.stringify(frame).slice(0, 200);
  if (frame.jsonrpc !== "2.0") found.push(`no jsonrpc: ${shown}`);
  if (frame.method === undefined) {
    if (era === "modern" || !initialized) found.push(`a response on a modern connection: ${shown}`);
    if (("result" in frame) === ("error" in frame)) found.push(`no reply: ${shown}`);
  }
  if (!isCall(frame)) return found;
  if (!Number.isInteger(frame.id)) found.push(`an id that is no integer: ${shown}`);
  const meta = frame.params?._meta ?? {};
  const key = (name: string) => meta[`io.modelcontextprotocol/${name}`];
  const keys = Object.keys(meta).filter((name) => name.startsWith("io.modelcontextprotocol/"));
  if (frame.method === "initialize" || era === "legacy") {
    if (keys.length > 0) found.push(`modern metadata on a legacy request: ${shown}`);
    return found;
  }
  if (key("protocolVersion") !== "2026-07-28") found.push(`no version: ${shown}`);
  if (JSON.stringify(key("clientCapabilities")) !== "{}") found.push(`no capabilities: ${shown}`);
  if (typeof key("clientInfo")?.name !== "string") found.push(`no client: ${shown}`);
  return found;
}

export type Wire = "memory" | "stdio";
export const WIRES: readonly Wire[] = ["memory", "stdio"];
export const ERAS: readonly Era[] = ["modern", "legacy"];

/** `servers/flaky.ts` with these faults. */
export function opener(wire: Wire, faults: readonly string[], options: OpenOptions = {}): Opener {
  const log = options.log ?? new Log();
  if (wire === "stdio") {
    const flags = options.era ? [`--${options.era}`] : [];
    return () => program(["servers/flaky.ts", ...faults, ...flags], { ...options, log });
  }
  return () => {
    const era = options.era ? { dialect: options.era } : {};
    return inMemory(flaky([...faults], era), log);
  };
}

/** A handler as a server, with what we send looked at. */
export function inMemory(handler: Handler, log: Log = new Log()): Transport {
  const note = watched(log);
  const heard = (message: unknown) => note("received", JSON.stringify(message));
  return memoryTransport(async (message, out) => {
    note("sent", JSON.stringify(message) + "\n");
    const reply = await handler(message, (unasked) => {
      heard(unasked);
      out(unasked);
    });
    if (reply !== undefined) heard(reply);
    return reply;
  });
}

/** A Deno program as a server on stdio. */
export function program(args: readonly string[], options: OpenOptions = {}): Transport {
  return command(Deno.execPath(), ["run", "-A", "--no-config", "--quiet", ...args], options);
}

/** Any program as a server on stdio. */
export function command(
  name: string,
  args: readonly string[],
  options: OpenOptions = {},
): Transport {
  return stdioTransport({
    command: name,
    args,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: Deno.env.get("HOME") ?? "", ...options.env },
    cwd: ROOT,
    clock: options.clock ?? realClock,
    onFrame: watched(options.log ?? new Log()),
    ...(options.lineCapBytes !== undefined && { lineCapBytes: options.lineCapBytes }),
    ...(options.groups && { groups: options.groups }),
    ...(options.onStderr && { onStderr: options.onStderr }),
  });
}
