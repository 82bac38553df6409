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

/** One connection: what we may send on it depends on what we have said before. */
function watched(log: Log): (direction: "sent" | "received", line: string) => void {
  const ids = new Set<unknown>();
  let initialized = false;
  return (direction, line) => {
    if (direction === "sent") {
      const frame = JSON.parse(line);
      if (frame.method === "initialize") initialized = true;
      checkFrame(frame, initialized);
      if (frame.method !== undefined && frame.id !== undefined) {
        assert(!ids.has(frame.id), `the id ${frame.id} was used twice`);
        ids.add(frame.id);
      }
    }
    log.note(direction, line);
  };
}

/** The rules of checklist 2–5, 15, 16, 37, 38, 56, 64, which official schemas let pass in part. */
export function checkFrame(frame: Frame, initialized: boolean): void {
  assert.equal(frame.jsonrpc, "2.0");
  const isCall = frame.method !== undefined && frame.id !== undefined;
  if (frame.method === undefined) {
    assert(initialized, `a response on a modern connection: ${JSON.stringify(frame)}`);
    assert(("result" in frame) !== ("error" in frame));
  }
  if (!isCall) return;
  assert(Number.isInteger(frame.id), "our ids are integers");
  const meta = frame.params?._meta ?? {};
  const keys = Object.keys(meta).filter((key) => key.startsWith("io.modelcontextprotocol/"));
  // Once initialize was sent the server may be of either era, but no request is half of one.
  if (initialized && frame.method !== "server/discover" && keys.length === 0) return;
  assert.equal(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
  assert.deepEqual(meta["io.modelcontextprotocol/clientCapabilities"], {});
  assert.equal(typeof meta["io.modelcontextprotocol/clientInfo"].name, "string");
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
  return memoryTransport((message, out) => {
    note("sent", JSON.stringify(message) + "\n");
    return handler(message, out);
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
