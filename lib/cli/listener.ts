/** A place where HTTP is answered: bound, answering, closed. @module */

export interface Address {
  host: string;
  port: number;
}

export type Answer = (request: Request) => Response | Promise<Response>;

export interface Listener {
  readonly port: number;
  /** Lets answers under way come to their end, for a moment. */
  close(): Promise<void>;
}

/** An address can't be had; the message says why, in plain words. */
export class CannotListen extends Error {
  override readonly name = "CannotListen";
  /** Somebody else has it. */
  readonly isTaken: boolean;
  constructor(message: string, options: { isTaken: boolean; cause: unknown }) {
    super(message, options);
    this.isTaken = options.isTaken;
  }
}

/** Answers that are not out by then are cut off. */
const LAST_ANSWER_MS = 300;

/** @throws {CannotListen} */
export function listen({ host, port }: Address, answer: Answer): Listener {
  const end = new AbortController();
  const options = { hostname: host, port, signal: end.signal, onListen: () => {} };
  try {
    const server = Deno.serve(options, answer);
    return {
      port: server.addr.port,
      async close() {
        const timer = setTimeout(() => end.abort(), LAST_ANSWER_MS);
        await server.shutdown();
        clearTimeout(timer);
      },
    };
  } catch (cause) {
    throw new CannotListen(...whyNot(cause));
  }
}

function whyNot(cause: unknown): ConstructorParameters<typeof CannotListen> {
  const isTaken = cause instanceof Deno.errors.AddrInUse;
  const message = cause instanceof Error ? cause.message.replace(/ \(os error \d+\).*/s, "") : "";
  const why = isTaken
    ? "something else listens there"
    : cause instanceof Deno.errors.AddrNotAvailable
    ? "it is no address of this machine"
    : cause instanceof Deno.errors.PermissionDenied
    ? "the system does not allow it"
    : message;
  return [why, { isTaken, cause }];
}
