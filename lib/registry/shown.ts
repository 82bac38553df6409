/** What callers were shown of a server's tools, where it may have others by the time of the call. @module */
import { canonical } from "../kit/json.ts";
import type { ToolInfo } from "../protocol/types.ts";
import { toolHash } from "./catalog/tool_hash.ts";

/** A tool as a caller knows it. */
export interface Expected {
  info: ToolInfo;
  /** Of it as it came, where what we have was read from disk. */
  hash: string | undefined;
}

export class Shown {
  /** What was known before the server came online, of tools that nobody has called since. */
  #before = new Map<string, Expected>();
  #hashes: ReadonlyMap<string, string> = new Map();

  /** What is known was read from disk. */
  recalled(hashes: ReadonlyMap<string, string>): void {
    this.#hashes = hashes;
  }

  /** The server came online; `known` is what was known of its tools until then. */
  met(known: readonly ToolInfo[]): void {
    this.#before = new Map(known.map((info) => [info.name, this.expected(info)]));
    this.#hashes = new Map();
  }

  /** Callers are shown what it offers now: what was known before does not count any more. */
  forget(): void {
    this.#before.clear();
  }

  /** As a caller knows it who was shown this. */
  expected(info: ToolInfo): Expected {
    return { info, hash: this.#hashes.get(info.name) };
  }

  /** As a caller may still know it, of a server that is online. */
  before(tool: string): Expected | undefined {
    return this.#before.get(tool);
  }

  /** Whether arguments written for what was expected may go to what there is now. Asked once of each. */
  async fits({ info, hash }: Expected, now: ToolInfo | undefined): Promise<boolean> {
    this.#before.delete(info.name); // From here on the caller has been told, or there is nothing to tell.
    if (!now) return false;
    if (canonical(now.inputSchema) === canonical(info.inputSchema)) return true;
    return hash !== undefined && await toolHash(now) === hash;
  }
}
