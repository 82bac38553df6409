/** Chat Completions: calls put together from fragments, by index and by id, as far as servers give them. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import { idOf } from "../format/dialogue.ts";
import { failed, failure } from "../format/failure.ts";

/** A call as far as it has come. */
interface Open {
  id: string;
  name: string;
  /** Joined once, at the end: 20,000 fragments are common for a long file. */
  written: string[];
}

/** A call as it stands at the end. */
export interface ChatCall {
  id: string;
  name: string;
  /** The arguments as the model wrote them. */
  written: string;
}

export class ChatCalls {
  readonly #calls: Open[] = [];
  readonly #byIndex = new Map<number, Open>();

  /** One entry of `delta.tool_calls`, or of a whole message's `tool_calls`. */
  take({ index, id, function: told }: Params): void {
    const { name, arguments: written } = isObject(told) ? told : {};
    const place = typeof index === "number" ? index : undefined;
    const known = {
      id: typeof id === "string" ? id : "",
      name: typeof name === "string" ? name : "",
    };
    const call = this.#find(place, known) ?? this.#open(place);
    // Some repeat the id and the name, some send them empty: the first that says something counts.
    call.id ||= known.id;
    call.name ||= known.name;
    if (typeof written === "string") call.written.push(written);
    else if (isObject(written)) call.written.push(JSON.stringify(written));
  }

  /** In the order asked, each with an id of its own. @throws {ModelError} for a call of no tool */
  all(turn: number): ChatCall[] {
    const ids = new Set<string>();
    return this.#calls.map((call): ChatCall => ({ ...call, written: call.written.join("") }))
      .filter(({ id, name, written }) => id !== "" || name !== "" || written !== "")
      .map((call, at) => {
        if (call.name === "") throw failed(failure("bad_call", "it names no tool"));
        const id = call.id === "" || ids.has(call.id) ? idOf(turn, at) : call.id;
        ids.add(id);
        return { ...call, id };
      });
  }

  #find(index: number | undefined, { id, name }: { id: string; name: string }): Open | undefined {
    if (index === undefined) {
      const known = id === "" ? undefined : this.#calls.find((call) => call.id === id);
      return known ?? (name === "" ? this.#calls.at(-1) : undefined);
    }
    const call = this.#byIndex.get(index);
    if (!call || name === "") return call;
    // Google's endpoint and old Ollamas give every call the index 0: a new id with a name is a new call.
    const isOther = id === ""
      ? name !== call.name && call.name !== ""
      : id !== call.id && call.id !== "";
    return isOther ? undefined : call;
  }

  #open(index: number | undefined): Open {
    const call = { id: "", name: "", written: [] };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}
