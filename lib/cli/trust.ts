/** Which files of projects a person trusts: by place, and by every byte of what stands there. @module */
import { isTime } from "../kit/clock.ts";
import { canonical } from "../kit/json.ts";
import { type RecordKind, Records } from "../kit/records.ts";
import { hmac, sha256 } from "../registry/catalog/seal.ts";
import type { State } from "./disk.ts";

/** A project file as it was found. */
export interface Place {
  /** The folder it was found in, canonical: what it starts runs there. */
  folder: string;
  name: string;
  /** The file itself, links followed. */
  path: string;
  /** Of its bytes, in hexadecimal. */
  sha256: string;
}

export interface Verdict extends Place {
  verdict: "trusted" | "refused";
  /** When it was said, in milliseconds since the epoch. */
  at: number;
}

/** `changed`: another content was trusted, or another file behind the same link. */
export type Standing = "trusted" | "refused" | "changed" | "new";

/** What was said holds for the very bytes it was said of, in the folder it was said in. */
export function standingOf(said: Verdict | undefined, found: Place): Standing {
  if (!said || said.folder !== found.folder || said.name !== found.name) return "new";
  if (said.path === found.path && said.sha256 === found.sha256) return said.verdict;
  return said.verdict === "trusted" ? "changed" : "new";
}

export async function placeOf(
  file: { folder: string; name: string; path: string },
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Place> {
  return { ...file, sha256: await sha256(bytes) };
}

const KIND: RecordKind<Verdict> = {
  name: "trust",
  version: 1,
  read({ folder, name, path, sha256, verdict, at }) {
    const texts = [folder, name, path, sha256];
    const isWhole = texts.every((it) => typeof it === "string") && isTime(at) &&
      (verdict === "trusted" || verdict === "refused");
    return isWhole ? { folder, name, path, sha256, verdict, at } as Verdict : undefined;
  },
};

export class TrustBook {
  readonly #records: Records<Verdict>;
  readonly #secret: string;

  constructor(state: State, note: (line: string) => void) {
    this.#records = new Records(state, KIND, note);
    this.#secret = state.secret;
  }

  /** What was said of the file of this name in this folder, whatever it held. Never throws. */
  async about(place: { folder: string; name: string }): Promise<Verdict | undefined> {
    return await this.#records.get(await this.#id(place));
  }

  /** @throws {Error} when it can't be written */
  async say(verdict: Verdict): Promise<void> {
    await this.#records.put(await this.#id(verdict), verdict);
  }

  /** @throws {Error} */
  async forget(place: { folder: string; name: string }): Promise<void> {
    await this.#records.remove(await this.#id(place));
  }

  /** By folder and name. @throws {Error} */
  async list(): Promise<Verdict[]> {
    const all = await this.#records.all();
    const place = ({ folder, name }: Verdict) => canonical([folder, name]);
    return [...all.values()].sort((a, b) => place(a) < place(b) ? -1 : 1);
  }

  /** @throws {Error} */
  async clear(): Promise<void> {
    await this.#records.clear();
  }

  #id({ folder, name }: { folder: string; name: string }): Promise<string> {
    return hmac(this.#secret, canonical(["trust", folder, name]));
  }
}
