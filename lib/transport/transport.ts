/** A transport is a server's handler function, far away. @module */
import type { LeaveSignal } from "../kit/leaving.ts";
import type { TransportError } from "../protocol/errors.ts";
import type { Call, Notice, Reply } from "../protocol/types.ts";

export interface ExchangeOptions {
  signal?: LeaveSignal;
  headers?: Headers;
  /** Notices that belong to this call: progress, and on HTTP all of its stream. */
  onNotice?: (notice: Notice) => void;
}

export interface Listener {
  /** Notices that belong to no call. */
  notice(notice: Notice): void;
  /** A call of the server's (legacy dialect); undefined writes nothing. */
  call(call: Call): Reply | undefined;
}

export interface Transport extends AsyncDisposable {
  /**
   * The reply. Aborting cancels on the wire.
   * @throws {TransportError} or the signal's reason, nothing else.
   */
  exchange(call: Call, options?: ExchangeOptions): Promise<Reply>;
  /** @throws {TransportError} when the peer is gone. */
  notify(notice: Notice): Promise<void>;
  /** Set once, by the client. */
  listen(on: Listener): void;
  /** Settles with the reason when the peer is gone. */
  readonly closed: Promise<TransportError>;
  /** Of the peer's process, where it is one that we started. */
  readonly pid?: number;
  /** The last lines the peer wrote for people, oldest first. A stranger's text. */
  tail(): readonly string[];
}
