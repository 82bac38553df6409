/** Lazy mode: no server runs until it is wanted; its tools join the table when it is attached. @module */
import { plainText } from "../kit/json.ts";
import type { ToolSpec, ToolUse } from "../models/model.ts";
import { isCallFailure, TransportError } from "../protocol/errors.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Registry } from "../registry/registry.ts";
import { findings } from "../registry/search/findings.ts";
import { callApproved, toSpec, toTarget } from "./full.ts";
import type { KeptResults } from "./kept.ts";
import { menu } from "./menu.ts";
import { READ_RESULT, readResult } from "./read_result.ts";
import type { Toolbox } from "./tool.ts";
import { refuses, says, toolLine, unavailable, unknownServer } from "./words.ts";

const FOUND = 8;

const text = (description: string) => ({ type: "string", description });

/** Constant: no server's name, no count, no date stands in them. */
const META: readonly ToolSpec[] = [
  {
    name: "search_tools",
    description:
      "Find tools of the user's servers by what they do. Most servers are not running yet; " +
      "what is found can be called at once, or attached first.",
    inputSchema: {
      type: "object",
      properties: { query: text("What the tool should do, in a few words") },
      required: ["query"],
    },
  },
  {
    name: "attach_server",
    description: "Start one of the user's servers. Its tools can be called from the next turn on.",
    inputSchema: {
      type: "object",
      properties: { server: text("The server's name, as search_tools shows it") },
      required: ["server"],
    },
  },
  {
    name: "detach_server",
    description:
      "Stop a server that is not needed any more. A call to one of its tools starts it again.",
    inputSchema: {
      type: "object",
      properties: { server: text("The server's name") },
      required: ["server"],
    },
  },
  READ_RESULT,
];

export function lazyToolbox(registry: Registry, kept?: KeptResults): Toolbox {
  const shown = new Map<string, ToolSpec>(META.map((spec) => [spec.name, spec]));
  const attached: string[] = [];

  /** Tools go to the end in the order in which their servers were attached, and never move again. */
  function grow(): void {
    for (const { alias, source } of registry.servers()) {
      if (source === "live" && !attached.includes(alias)) attached.push(alias);
    }
    for (const alias of attached) {
      for (const entry of registry.table.entries.values()) {
        if (entry.ref.alias !== alias || entry.denied !== undefined) continue;
        if (!shown.has(entry.name)) shown.set(entry.name, toSpec(entry));
      }
    }
  }

  async function attach(alias: string, signal?: AbortSignal): Promise<ToolResult> {
    if (!registry.servers().some((server) => server.alias === alias)) {
      return unknownServer(registry, alias);
    }
    try {
      await registry.attach(alias, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isCallFailure(error)) throw error;
      return error instanceof TransportError ? unavailable(alias, error) : refuses(error.message);
    }
    const own = [...registry.table.entries.values()].filter(({ ref, denied }) =>
      ref.alias === alias && denied === undefined
    );
    const lines = own.slice(0, 40).map(({ name, info }) => toolLine(name, info));
    const more = own.length > lines.length ? `\n… and ${own.length - lines.length} more` : "";
    return says(`"${alias}" is attached. Its tools:\n${lines.join("\n")}${more}`);
  }

  async function detach(alias: string): Promise<ToolResult> {
    if (!registry.servers().some((server) => server.alias === alias)) {
      return unknownServer(registry, alias);
    }
    await registry.detach(alias);
    return says(`"${alias}" is stopped. A call to one of its tools starts it again.`);
  }

  return {
    specs: () => [...shown.values()],
    async refresh(signal): Promise<void> {
      await registry.refresh(signal);
      grow();
    },
    target(use: ToolUse) {
      const entry = registry.find(use.name);
      return entry && toTarget(entry);
    },
    async run(use, options) {
      const { query, server } = use.args;
      switch (use.name) {
        case "search_tools":
          return says(await findings(menu(registry), plainText(query), FOUND));
        case "attach_server":
          return await attach(plainText(server), options.signal);
        case "detach_server":
          return await detach(plainText(server));
        case READ_RESULT.name:
          return await readResult(use.args, kept);
        default:
          return await callApproved(registry, use, options);
      }
    },
  };
}
