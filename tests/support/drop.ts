/** A folder in memory. @module */
import type { Drop } from "../../lib/kit/drop.ts";

export interface MemoryDrop extends Drop {
  readonly bytes: Record<string, Uint8Array>;
  /** The same, read as text. */
  readonly texts: Record<string, string>;
}

export function memoryDrop(): MemoryDrop {
  const bytes: Record<string, Uint8Array> = {};
  const read = (name: string) => {
    const found = bytes[name];
    return found && new TextDecoder().decode(found);
  };
  return {
    path: "/drop",
    bytes,
    get texts() {
      return Object.fromEntries(Object.keys(bytes).map((name) => [name, read(name)!]));
    },
    put(name, data) {
      bytes[name] = data;
      return Promise.resolve(`/drop/${name}`);
    },
    text: (name) => Promise.resolve(read(name)),
  };
}
