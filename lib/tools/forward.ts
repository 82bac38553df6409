/** Forward mode: one tool, whose bytes never change, reaches every tool of every server. @module */
import type { ToolSpec, ToolUse } from "../models/model.ts";
import { isCallFailure, TransportError } from "../protocol/errors.ts";
import type { ToolResult } from "../protocol/tools.ts";
import { checkValue } from "../protocol/schema.ts";
import type { Registry } from "../registry/registry.ts";
import { findings } from "../registry/search/findings.ts";
import type { Entry } from "../registry/table.ts";
import { ACTIONS, readArgs, readRequest, type Request } from "./forwarded.ts";
import { callApproved, toTarget } from "./full.ts";
import type { KeptResults } from "./kept.ts";
import { menu } from "./menu.ts";
import { READ_RESULT, readResult } from "./read_result.ts";
import type { RunOptions, Toolbox } from "./tool.ts";
import {
  described,
  refuses,
  says,
  schemaOf,
  toolLine,
  unapproved,
  unavailable,
  unknownServer,
} from "./words.ts";

const FOUND = 8;

export const FORWARD_SPEC: ToolSpec = {
  name: "mcp",
  description:
    "Reaches the tools of the user's servers. First search for a tool by what it does; " +
    "describe it where the line that search shows is not enough; then call it by its name. " +
    "Servers start by themselves when one of their tools is called. " +
    "read_result reads on in a result that was cut.",
  inputSchema: {
    type: "object",
    properties: {
      action: { type: "string", enum: ACTIONS },
      query: {
        type: "string",
        description: "search: what the tool should do, in a few words; read_result: text to find",
      },
      name: {
        type: "string",
        description:
          "describe, call: the tool's name, as search shows it; read_result: the result's",
      },
      args: { type: "object", description: "call: the tool's own arguments" },
      offset: { type: "integer", description: "read_result: character to begin at" },
    },
    required: ["action"],
  },
};

export function forwardToolbox(registry: Registry, kept?: KeptResults): Toolbox {
  /** A server that was never listed is started to learn what it has: nothing else can tell. */
  async function find(
    name: string,
    signal?: AbortSignal,
  ): Promise<{ entry: Entry | undefined; failure?: Error | undefined }> {
    const entry = registry.find(name);
    const home = registry.home(name);
    if (entry || !home || home.source) return { entry };
    const failure = await learn(home.alias, signal);
    return { entry: registry.find(name), failure };
  }

  /** Returns what kept it from starting, to be told where nothing else says it. */
  async function learn(alias: string, signal?: AbortSignal): Promise<Error | undefined> {
    try {
      await registry.attach(alias, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isCallFailure(error)) throw error;
      return error;
    }
    return undefined;
  }

  async function describe(name: string, signal?: AbortSignal): Promise<ToolResult> {
    const { entry, failure } = await find(name, signal);
    if (entry && entry.denied === undefined) return says(described(entry));
    const server = registry.servers().find(({ alias }) => alias === name);
    if (entry || (!server && registry.home(name))) return registry.refusal(name, failure)!;
    if (!server) return unknownServer(registry, name);
    if (!server.source) {
      const failure = await learn(name, signal);
      if (failure instanceof TransportError) return unavailable(name, failure);
    }
    const lines = [...registry.table.entries.values()]
      .filter(({ ref, denied }) => ref.alias === name && denied === undefined)
      .map((each) => toolLine(each.name, each.info));
    return says(`The tools of "${name}":\n${lines.join("\n") || "(it has none)"}`);
  }

  async function call(
    request: Request,
    { approved, ...options }: RunOptions,
  ): Promise<ToolResult> {
    const { name } = request;
    const { entry, failure } = await find(name, options.signal);
    if (!entry) return registry.refusal(name, failure)!;
    const refused = registry.refusal(name) ?? unapproved(entry, approved);
    if (refused) return refused;
    const read = readArgs(request, entry.info.inputSchema);
    if ("why" in read) {
      return refuses(
        `Cannot call ${entry.name}: ${read.why}. Nothing was run. Its arguments: ${
          schemaOf(entry.info)
        }`,
      );
    }
    const verdict = checkValue(entry.info.inputSchema, read.args);
    if (verdict.kind === "invalid") {
      return refuses(
        `Cannot call ${entry.name}: ${verdict.problems.join("; ")}. Nothing was run. ` +
          `Its arguments: ${schemaOf(entry.info)}`,
      );
    }
    return await registry.call(entry.name, read.args, options);
  }

  return {
    specs: () => [FORWARD_SPEC],
    async refresh(signal): Promise<void> {
      await registry.refresh(signal);
    },
    target(use: ToolUse) {
      if (use.name !== FORWARD_SPEC.name) {
        const entry = registry.find(use.name);
        return entry && toTarget(entry);
      }
      const request = readRequest(use.args);
      if ("why" in request || request.action !== "call") return undefined;
      const entry = registry.find(request.name);
      if (!entry) return undefined;
      const read = readArgs(request, entry.info.inputSchema);
      return { ...toTarget(entry), args: "args" in read ? read.args : {} };
    },
    async run(use, options) {
      // Some models call by the name that a search has shown them, or a note. There is no doubt what
      // they mean.
      if (use.name === READ_RESULT.name) return await readResult(use.args, kept);
      if (use.name !== FORWARD_SPEC.name) {
        return await callApproved(registry, use, options);
      }
      const request = readRequest(use.args);
      if ("why" in request) return refuses(`Nothing was run: ${request.why}.`);
      switch (request.action) {
        case "search":
          return says(await findings(menu(registry), request.query, FOUND));
        case "describe":
          return await describe(request.name, options.signal);
        case "call":
          return await call(request, options);
        case "read_result":
          return await readResult(
            { ...request.given, result: request.name, search: request.query },
            kept,
          );
      }
    },
  };
}
