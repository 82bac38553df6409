/** Finding out which era a server belongs to, without waiting for it longer than it takes. @module */
import { type Clock, unlessSilent } from "../kit/clock.ts";
import { type Hello, versionList } from "../protocol/dialect.ts";
import { ProtocolError, TransportError } from "../protocol/errors.ts";
import { answerLegacy, initializeParams, readInitialize } from "../protocol/legacy.ts";
import { judgeProbe, MODERN_VERSIONS, modernDialect, type Verdict } from "../protocol/modern.ts";
import type { Call, Params, PeerInfo, Reply } from "../protocol/types.ts";
import type { Transport } from "../transport/transport.ts";

/** Starts a server. @throws {TransportError} when it can't be started. */
export type Opener = () => Transport | Promise<Transport>;

export interface HandshakeOptions {
  clock: Clock;
  client: PeerInfo;
  /** Silence after which `initialize` is sent beside the unanswered probe. */
  probeMs: number;
  signal?: AbortSignal;
  /** What this server was when it was met last: it is taken for that, and asked anew where it is not. */
  prior?: Hello;
  /** Called when the server's era is known, or when it will take longer than a probe to know it. */
  onPatience?: () => void;
}

export interface Meeting {
  transport: Transport;
  hello: Hello;
  /** The first id that was not used yet. */
  nextId: number;
}

/**
 * Opens the server and agrees on a dialect. `server/discover` goes first; an answer that is not of
 * the modern era leads to `initialize` on the same process, a death to `initialize` on a new one.
 * A silent server is hedged: after `probeMs`, `initialize` goes down the same pipe too, and from
 * then on its answer decides, in whichever order the answers come.
 *
 * The caller owns the transport that comes back; on failure none is left open.
 * @throws {TransportError} or the signal's reason
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility
 */
export async function shakeHands(open: Opener, options: HandshakeOptions): Promise<Meeting> {
  const { prior, ...anew } = options;
  if (!prior) return await meet(open, anew);
  const transport = await open();
  const known = new Handshake(transport, anew);
  // A modern server needs no greeting: whether it still is one shows at the first request.
  if (prior.dialect.era === "modern") return { transport, hello: prior, nextId: known.nextId };
  try {
    return { transport, hello: await known.initialize(), nextId: known.nextId };
  } catch (error) {
    await transport[Symbol.asyncDispose]();
    options.signal?.throwIfAborted();
    if (!(error instanceof Killed || error instanceof TransportError)) throw error;
  }
  return await meet(open, anew);
}

async function meet(open: Opener, options: HandshakeOptions): Promise<Meeting> {
  const first = await open();
  const probing = new Handshake(first, options);
  try {
    const hello = await probing.probe();
    return { transport: first, hello, nextId: probing.nextId };
  } catch (error) {
    await first[Symbol.asyncDispose]();
    if (!(error instanceof Killed)) throw error;
  }
  // Some servers leave at the first request that is not `initialize`. They get a second start.
  options.signal?.throwIfAborted();
  const second = await open();
  const asking = new Handshake(second, options);
  try {
    const hello = await asking.initialize();
    return { transport: second, hello, nextId: asking.nextId };
  } catch (error) {
    await second[Symbol.asyncDispose]();
    throw error instanceof Killed ? error.reason : error;
  }
}

/** The server died before it answered: no verdict on its era. */
class Killed extends Error {
  readonly reason: TransportError;
  constructor(reason: TransportError) {
    super(reason.message);
    this.reason = reason;
  }
}

class Handshake {
  nextId = 1;
  #initializing = false;
  /** Whether it was asked again with a version of its own choice. */
  #retried = false;
  readonly #transport: Transport;
  readonly #options: HandshakeOptions;

  constructor(transport: Transport, options: HandshakeOptions) {
    this.#transport = transport;
    this.#options = options;
    // Legacy servers may ping before they have answered. Before `initialize` it may be a modern one,
    // which is never replied to.
    transport.listen({
      notice: () => {},
      call: (call) => this.#initializing ? answerLegacy(call) : undefined,
    });
  }

  async probe(version = MODERN_VERSIONS[0]!): Promise<Hello> {
    const { clock, client, probeMs, onPatience } = this.#options;
    const probe = this.#ask("server/discover", modernDialect(version, client).stamp({}));
    // Behind a hedge all has been said: there is nothing left to do but wait.
    const reply = this.#initializing ? await probe : await unlessSilent(clock, probeMs, probe);
    onPatience?.();
    if (!reply) return await this.#hedge(probe, version);
    return await this.#follow(judgeProbe(reply, version, client));
  }

  async initialize(): Promise<Hello> {
    return await this.#enter(await this.#ask("initialize", initializeParams(this.#options.client)));
  }

  /** The probe is unanswered: `initialize` goes out beside it, and its answer decides. */
  async #hedge(probe: Promise<Reply>, version: string): Promise<Hello> {
    const { clock, client, probeMs } = this.#options;
    const asked = this.#ask("initialize", initializeParams(client));
    const first = await Promise.race([
      asked.then((reply) => ({ reply })),
      probe.then((reply) => ({ verdict: judgeProbe(reply, version, client) })),
    ]);
    if ("reply" in first) {
      if ("result" in first.reply) return await this.#enter(first.reply);
      // It refuses `initialize`, so what it says to the probe decides after all.
      const verdict = judgeProbe(await probe, version, client);
      return verdict.era === "legacy"
        ? await this.#enter(first.reply)
        : await this.#follow(verdict);
    }
    // It is awake now, so the other answer is near; a modern server that passes over what it does
    // not know would never give one.
    const legacy = first.verdict.era === "legacy";
    const reply = legacy ? await asked : await unlessSilent(clock, probeMs, asked);
    if (reply && (legacy || "result" in reply)) return await this.#enter(reply);
    return await this.#follow(first.verdict);
  }

  async #follow(verdict: Verdict): Promise<Hello> {
    switch (verdict.era) {
      case "modern":
        return verdict.hello;
      case "legacy":
        return await this.initialize();
      case "retry":
        if (!this.#retried) {
          this.#retried = true;
          return await this.probe(verdict.version);
        }
        throw new TransportError(
          "version_mismatch",
          `it refuses protocol version ${verdict.version} and names it as supported`,
        );
      case "none":
        throw new TransportError(
          "version_mismatch",
          `it speaks protocol version ${versionList(verdict.offered)}, ` +
            `and fusebox speaks ${MODERN_VERSIONS.join(", ")} and older ones`,
        );
    }
  }

  /** Reads the answer to `initialize` and tells the server that it may begin. */
  async #enter(reply: Reply): Promise<Hello> {
    if ("error" in reply) {
      const { code, message, data } = reply.error;
      if (data instanceof TransportError) throw data; // Garbled: nobody refused anything.
      throw new TransportError("refused", `it refused the handshake: ${message} (${code})`, {
        cause: new ProtocolError(code, message, data),
      });
    }
    const hello = readInitialize(reply.result);
    await this.#transport.notify({ jsonrpc: "2.0", method: "notifications/initialized" });
    return hello;
  }

  #ask(method: string, params: Params): Promise<Reply> {
    const { signal } = this.#options;
    this.#initializing ||= method === "initialize";
    const call: Call = { jsonrpc: "2.0", id: this.nextId++, method, params };
    const asked = this.#transport.exchange(call, signal ? { signal } : {}).catch((error) => {
      if (!(error instanceof TransportError)) throw error;
      // A garbled answer is an answer: of somebody who does not know this method, most likely.
      if (error.fault !== "garbled") throw new Killed(error);
      const refusal = { code: 0, message: error.message, data: error };
      return { jsonrpc: "2.0" as const, id: call.id, error: refusal };
    });
    asked.catch(() => {}); // Not every question is waited for to its end.
    return asked;
  }
}
