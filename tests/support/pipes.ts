/** A process that is none: three pipes in memory, for what a server writes byte by byte. @module */
import type { Peer } from "../../lib/transport/stdio.ts";

export interface Pipes {
  peer: Peer;
  say(bytes: Uint8Array): void;
  complain(bytes: Uint8Array): void;
  /** Whether anything that it said was not read yet. */
  readonly isUnread: boolean;
  /** It ends: both of its pipes do, too. */
  leave(code: number): void;
}

/** Each line that the client writes is heard as it comes. */
export function pipes(hear: (line: string) => void): Pipes {
  const decoder = new TextDecoder();
  let begun = "";
  const [stdout, stderr] = [pipe(), pipe()];
  const status = Promise.withResolvers<Awaited<Peer["status"]>>();
  const leave = (code: number) => {
    stdout.end();
    stderr.end();
    status.resolve({ success: code === 0, code, signal: null });
  };
  const stdin = new WritableStream<Uint8Array>({
    write(bytes) {
      const lines = (begun + decoder.decode(bytes, { stream: true })).split("\n");
      begun = lines.pop()!;
      for (const line of lines) hear(line);
    },
    close: () => leave(0),
  });
  const end = async () => {
    leave(143);
    await status.promise;
  };
  const readable = { stdin, stdout: stdout.readable, stderr: stderr.readable };
  return {
    peer: { ...readable, status: status.promise, end },
    say: stdout.write,
    complain: stderr.write,
    get isUnread() {
      return stdout.isUnread();
    },
    leave,
  };
}

function pipe() {
  let pen: ReadableByteStreamController;
  let open = true;
  const readable = new ReadableStream<Uint8Array<ArrayBuffer>>({
    type: "bytes",
    start: (controller) => void (pen = controller as ReadableByteStreamController),
    cancel: () => void (open = false),
  });
  return {
    readable,
    /** A copy, as from any pipe: what is written is gone from here. */
    write: (bytes: Uint8Array) => open && bytes.length > 0 && pen.enqueue(bytes.slice()),
    isUnread: () => open && pen.desiredSize! < 0,
    end() {
      if (open) {
        pen.close();
        pen.byobRequest?.respond(0);
      }
      open = false;
    },
  };
}
