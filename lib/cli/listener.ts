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
/** How long a listener that broke rests: what it held goes to those who need it more. */
const REST_MS = 1_000;

/**
 * Answers until it is closed. Where the system hands out no more connections, all that are open are
 * let go, `onFault` is told why, and it listens again: nothing of it fails who called.
 * @throws {CannotListen}
 */
export function listen(
  address: Address,
  answer: Answer,
  onFault: (why: string) => void = () => {},
): Listener {
  let isClosed = false;
  let rest: ReturnType<typeof setTimeout> | undefined;
  let door = open(address, answer, broke);
  const { port } = door;

  function broke(cause: unknown): void {
    if (isClosed) return;
    onFault(why(cause));
    reopenLater();
  }

  function reopenLater(): void {
    rest = setTimeout(() => {
      try {
        door = open({ ...address, port }, answer, broke);
      } catch {
        reopenLater(); // Whatever is in the way may pass.
      }
    }, REST_MS);
  }

  return {
    port,
    close() {
      isClosed = true;
      clearTimeout(rest);
      return door.close();
    },
  };
}

/** @throws {CannotListen} */
function open(
  { host, port }: Address,
  answer: Answer,
  broke: (cause: unknown) => void,
): Listener {
  const end = new AbortController();
  const options = { hostname: host, port, signal: end.signal, onListen: () => {} };
  try {
    const server = Deno.serve(options, answer);
    const finished = server.finished.catch((cause) => {
      end.abort();
      broke(cause);
    });
    return {
      port: server.addr.port,
      async close() {
        const timer = setTimeout(() => end.abort(), LAST_ANSWER_MS);
        await server.shutdown().catch(() => {}); // It broke, and has nothing left to shut.
        await finished;
        clearTimeout(timer);
      },
    };
  } catch (cause) {
    throw new CannotListen(...whyNot(cause));
  }
}

function whyNot(cause: unknown): ConstructorParameters<typeof CannotListen> {
  const isTaken = cause instanceof Deno.errors.AddrInUse;
  const message = isTaken
    ? "something else listens there"
    : cause instanceof Deno.errors.AddrNotAvailable
    ? "it is no address of this machine"
    : cause instanceof Deno.errors.PermissionDenied
    ? "the system does not allow it"
    : why(cause);
  return [message, { isTaken, cause }];
}

function why(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : "";
  return message.replace(/^Error: /, "").replace(/ \(os error \d+\).*/s, "");
}
