/** The tools that were pinned, to be shown beside what they are now: read only when somebody looks. @module */
import { toJson } from "../../kit/json.ts";
import { cut } from "../../kit/printable.ts";
import type { Secrets } from "../../kit/secrets.ts";
import { isObject } from "../../protocol/codec.ts";
import type { ToolInfo } from "../../protocol/types.ts";

export interface Kept {
  tool: ToolInfo;
  /** Some of it was too large to be kept: what is missing here may have been there. */
  isCut?: true;
}

const MAX_TOOL = 32_000;
const MAX_SCHEMA = 20_000;
const MAX_WORDS = 4_000;

/** By hash. Made of lines of a file, which hold what nobody needs for as long as nothing changes. */
export class Texts {
  readonly #lines: readonly string[];
  readonly #added: ReadonlyMap<string, Kept>;
  #all: ReadonlyMap<string, Kept> | undefined;

  constructor(lines: readonly string[] = [], added: ReadonlyMap<string, Kept> = new Map()) {
    this.#lines = lines;
    this.#added = added;
  }

  /** Undefined where it was not kept, or can't be read. */
  get(hash: string): Kept | undefined {
    this.#all ??= new Map([...this.#lines.flatMap(entries), ...this.#added]);
    return this.#all.get(hash);
  }

  plus(tools: ReadonlyMap<string, ToolInfo>): Texts {
    const kept = [...tools].map(([hash, tool]) => [hash, bounded(tool)] as const);
    return new Texts(this.#lines, new Map([...this.#added, ...kept]));
  }

  and(other: Texts): Texts {
    return new Texts(
      [...this.#lines, ...other.#lines],
      new Map([...this.#added, ...other.#added]),
    );
  }

  /** One line with the texts of these hashes, as far as `most` characters go. */
  line(hashes: Iterable<string>, most: number, secrets: Secrets): string {
    let room = most;
    const kept: string[] = [];
    for (const hash of new Set(hashes)) {
      const text = this.get(hash);
      const entry = text &&
        JSON.stringify([hash, secrets.hideIn(text.tool), ...text.isCut ? [1] : []]);
      if (!entry || entry.length > room) continue;
      room -= entry.length + 1;
      kept.push(entry);
    }
    return `[${kept.join(",")}]`;
  }
}

function entries(line: string): [string, Kept][] {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return []; // Nothing hangs on it but what a diff can show.
  }
  if (!Array.isArray(read)) return [];
  return read.flatMap((entry): [string, Kept][] => {
    const [hash, tool, isCut] = Array.isArray(entry) ? entry : [];
    const whole = typeof hash === "string" && isObject(tool) && typeof tool.name === "string" &&
      isObject(tool.inputSchema);
    return whole
      ? [[hash, { tool: tool as unknown as ToolInfo, ...(isCut && { isCut: true }) }]]
      : [];
  });
}

function bounded(tool: ToolInfo): Kept {
  const size = (value: unknown) => value === undefined ? 0 : toJson(value).length;
  if (size(tool) <= MAX_TOOL) return { tool };
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const fits = (schema: unknown) => size(schema) <= MAX_SCHEMA;
  return {
    tool: {
      name: cut(name, MAX_WORDS),
      ...(title !== undefined && { title: cut(title, MAX_WORDS) }),
      ...(description !== undefined && { description: cut(description, MAX_WORDS) }),
      inputSchema: fits(inputSchema) ? inputSchema : {},
      ...(outputSchema && fits(outputSchema) && { outputSchema }),
      ...(annotations && fits(annotations) && { annotations }),
    },
    isCut: true,
  };
}
