/** What is another than it was, and nothing else: what goes to whoever watches. @module */
import {
  type CallRow,
  callRow,
  type ChangeRow,
  changeRow,
  type RunRow,
  runRow,
  type ServerRow,
  serverRows,
  type Sources,
} from "./report.ts";

/** A key is there only when it holds something new. A server's row replaces the one before it. */
export interface News {
  run?: RunRow;
  servers?: readonly ServerRow[];
  /** The revision of the table of tools. */
  tools?: number;
  /** Oldest first; at most twenty. */
  calls?: readonly CallRow[];
  /** How many calls there were besides, where they came faster than that. */
  left?: number;
  changes?: readonly ChangeRow[];
}

/** Nobody reads more of them in the time that lies between two news. */
const MOST_CALLS = 20;

export class Differ {
  readonly #sources: Sources;
  readonly #rows = new Map<string, string>();
  #run = "";
  #tools = 0;
  #lastCall = 0;
  #lastChange = 0;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Since it was asked last; undefined when nothing is another. */
  next(): News | undefined {
    const news: News = { ...this.#newRun(), ...this.#newTools(), ...this.#newNotes() };
    const servers = serverRows(this.#sources).filter((row) => this.#isNew(row));
    if (servers.length > 0) news.servers = servers;
    return Object.keys(news).length > 0 ? news : undefined;
  }

  #newRun(): News {
    const run = runRow(this.#sources);
    const text = JSON.stringify(run);
    if (text === this.#run) return {};
    this.#run = text;
    return { run };
  }

  #newTools(): News {
    const { revision } = this.#sources.inventory.stock();
    if (revision === this.#tools) return {};
    this.#tools = revision;
    return { tools: revision };
  }

  #newNotes(): News {
    const { view, ledger } = this.#sources;
    const calls = ledger.calls(this.#lastCall).slice(-MOST_CALLS);
    const changes = ledger.changes(this.#lastChange);
    const lastCall = calls.at(-1)?.id ?? this.#lastCall;
    const left = lastCall - this.#lastCall - calls.length;
    this.#lastCall = lastCall;
    this.#lastChange = changes.at(-1)?.id ?? this.#lastChange;
    return {
      ...(calls.length > 0 && { calls: calls.map((call) => callRow(call, view)) }),
      ...(left > 0 && { left }),
      ...(changes.length > 0 && { changes: changes.map((change) => changeRow(change, view)) }),
    };
  }

  #isNew(row: ServerRow): boolean {
    const text = JSON.stringify(row);
    if (this.#rows.get(row.alias) === text) return false;
    this.#rows.set(row.alias, text);
    return true;
  }
}
