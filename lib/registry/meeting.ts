/** Meets a server that is started: who it is, and what it has. @module */
import { type Client, connect, type ConnectOptions } from "../client/client.ts";
import type { Opener } from "../client/handshake.ts";
import type { ToolList } from "../client/listing.ts";
import { isCallFailure } from "../protocol/errors.ts";

export interface Met {
  client: Client;
  list: ToolList;
}

export interface MeetingOptions extends ConnectOptions {
  signal: AbortSignal;
  /** Whether the list that is remembered named the type of each page, as a modern server's does. */
  wasTyped: boolean;
  /** Told `false` before the list is read, and `true` whenever the server says that it changed. */
  onListChanged: (isOld: boolean) => void;
  /** Ends what was opened, before it is opened anew. */
  giveUp: () => Promise<void>;
}

/**
 * Connects and lists. What is remembered of the server's era is dropped where it proves wrong.
 * @throws {ProtocolError} {@linkcode TransportError} the signal's reason
 */
export async function meet(open: Opener, options: MeetingOptions): Promise<Met> {
  const { prior, wasTyped, signal, giveUp } = options;
  try {
    const met = await once(open, options);
    // Some older servers serve a list without a handshake: it lacks what a modern one's has.
    const isOlder = prior?.dialect.era === "modern" && wasTyped && !met.list.typed;
    if (!isOlder) return met;
  } catch (error) {
    if (!prior || signal.aborted || !isCallFailure(error)) throw error;
  }
  await giveUp();
  const { prior: _, ...unprejudiced } = options;
  return await once(open, unprejudiced);
}

async function once(open: Opener, options: MeetingOptions): Promise<Met> {
  const { onListChanged, signal } = options;
  const client = await connect(open, options);
  client.onListChanged = () => onListChanged(true);
  onListChanged(false);
  return { client, list: await client.listTools(signal) };
}
