/** The answers "always" to questions about tools: kept between runs, each for one very server. @module */
import type { Remembered } from "../agent/approve.ts";
import { isTime } from "../kit/clock.ts";
import { canonical } from "../kit/json.ts";
import { type RecordKind, Records } from "../kit/records.ts";
import { hmac } from "../registry/catalog/seal.ts";
import type { State } from "./disk.ts";

export interface Approval {
  /** How the server is started (`serverKey`): under whichever alias, only that one is meant. */
  server: string;
  /** The raw name, exactly; absent when all that the server has is meant. */
  tool?: string;
  /** For people, as they stood when it was asked: alias, file, command or origin. Nothing secret. */
  alias: string;
  file: string;
  start: string;
  /** When it was said, in milliseconds since the epoch. */
  at: number;
}

const KIND: RecordKind<Approval> = {
  name: "approval",
  version: 1,
  read({ server, tool, alias, file, start, at }) {
    const texts = [server, alias, file, start];
    if (!texts.every((it) => typeof it === "string") || !isTime(at)) return undefined;
    if (tool !== undefined && typeof tool !== "string") return undefined;
    return { server, alias, file, start, at, ...(tool !== undefined && { tool }) } as Approval;
  },
};

export class Approvals {
  readonly #records: Records<Approval>;
  readonly #secret: string;

  constructor(state: State, note: (line: string) => void) {
    this.#records = new Records(state, KIND, note);
    this.#secret = state.secret;
  }

  /** What was said about this server, and about this tool of it. Never throws. */
  async recall(server: string, tool: string): Promise<Remembered> {
    const [one, all] = await Promise.all([this.#get(server, tool), this.#get(server)]);
    return { tool: one !== undefined, server: all !== undefined };
  }

  /** @throws {Error} when it can't be written */
  async remember(approval: Approval): Promise<void> {
    await this.#records.put(await this.#id(approval.server, approval.tool), approval);
  }

  /** By alias and tool, what is said of a whole server first. @throws {Error} */
  async list(): Promise<Approval[]> {
    const all = await this.#records.all();
    const place = ({ alias, tool, server }: Approval) => canonical([alias, tool ?? "", server]);
    return [...all.values()].sort((a, b) => place(a) < place(b) ? -1 : 1);
  }

  /** @throws {Error} */
  async forget({ server, tool }: Approval): Promise<void> {
    await this.#records.remove(await this.#id(server, tool));
  }

  /** All of them, also what can't be read. @throws {Error} */
  async clear(): Promise<void> {
    await this.#records.clear();
  }

  /** A file that stands under another's name, copied or renamed, holds for nobody. */
  async #get(server: string, tool?: string): Promise<Approval | undefined> {
    const found = await this.#records.get(await this.#id(server, tool));
    return found?.server === server && found.tool === tool ? found : undefined;
  }

  #id(server: string, tool: string | undefined): Promise<string> {
    return hmac(this.#secret, canonical(["approval", server, tool ?? null]));
  }
}
