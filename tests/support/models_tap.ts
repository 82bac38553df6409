/** A tap on the wire to a model: bytes pass unchanged, however they end, and each request is kept. @module */
import type { Body } from "./models_formats.ts";

/** A request as it crossed, and what came of it. */
export interface Sent {
  method: string;
  path: string;
  query: string;
  headers: Headers;
  /** Undefined where there was none. */
  body: Body;
  /** The same as it was written. */
  text: string;
  /** When it was complete, in milliseconds. */
  at: number;
  /** Of the answer; 0 where none has begun. */
  status: number;
}

export class Tap implements AsyncDisposable {
  readonly sent: Sent[] = [];
  readonly #target: Deno.NetAddr;
  readonly #listener: Deno.TcpListener;
  readonly #accepting: Promise<void>;
  readonly #open = new Set<Deno.TcpConn>();
  readonly #pumps = new Set<Promise<void>>();

  constructor(target: Deno.NetAddr) {
    this.#target = target;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#accepting = this.#accept();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  async #accept(): Promise<void> {
    try {
      for await (const near of this.#listener) this.#keep(this.#join(near));
    } catch {
      // It was closed while it was asked.
    }
  }

  async #join(near: Deno.TcpConn): Promise<void> {
    const { hostname, port } = this.#target;
    const far = await Deno.connect({ hostname, port });
    this.#open.add(near).add(far);
    const requests = new Requests();
    const there = pump(near, far, (bytes) => this.sent.push(...requests.take(bytes)));
    const back = pump(far, near, (bytes) => requests.answered(bytes));
    await Promise.all([there, back]);
    this.#open.delete(near);
    this.#open.delete(far);
  }

  #keep(pumping: Promise<void>): void {
    const done = pumping.catch(() => {}).then(() => void this.#pumps.delete(done));
    this.#pumps.add(done);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    for (const conn of this.#open) close(conn);
    await Promise.all(this.#pumps);
  }
}

/** Until one of them is gone; then both are. */
async function pump(
  from: Deno.TcpConn,
  to: Deno.TcpConn,
  look: (bytes: Uint8Array) => void,
): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  try {
    for (let size = await from.read(buffer); size !== null; size = await from.read(buffer)) {
      const bytes = buffer.slice(0, size);
      look(bytes);
      for (let at = 0; at < size;) at += await to.write(bytes.subarray(at));
    }
  } catch {
    // Reset by either of them.
  }
  close(from);
  close(to);
}

function close(conn: Deno.TcpConn): void {
  try {
    conn.close();
  } catch {
    // It was closed from the other side.
  }
}

/** HTTP/1.1 as one client of ours writes it: one request after the other, each with its length. */
class Requests {
  #rest = new Uint8Array();
  #last: Sent | undefined;

  take(bytes: Uint8Array): Sent[] {
    this.#rest = new Uint8Array([...this.#rest, ...bytes]);
    const found: Sent[] = [];
    while (true) {
      const text = new TextDecoder("latin1").decode(this.#rest);
      const end = text.indexOf("\r\n\r\n");
      if (end === -1) return found;
      const [line = "", ...lines] = text.slice(0, end).split("\r\n");
      const headers = new Headers(lines.map((each): [string, string] => {
        const colon = each.indexOf(":");
        return [each.slice(0, colon), each.slice(colon + 1).trim()];
      }));
      const length = Number(headers.get("content-length") ?? 0);
      const whole = end + 4 + length;
      if (this.#rest.length < whole) return found;
      const written = new TextDecoder().decode(this.#rest.slice(end + 4, whole));
      this.#rest = this.#rest.slice(whole);
      const [method = "", target = ""] = line.split(" ");
      const { pathname, search } = new URL(target, "http://model");
      this.#last = {
        method,
        path: pathname,
        query: search,
        headers,
        body: written === "" ? undefined : JSON.parse(written),
        text: written,
        at: performance.now(),
        status: 0,
      };
      found.push(this.#last);
    }
  }

  answered(bytes: Uint8Array): void {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(new TextDecoder("latin1").decode(bytes))?.[1];
    if (this.#last?.status === 0 && status) this.#last.status = Number(status);
  }
}
