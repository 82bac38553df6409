/** The contestants: what is installed, and how each is asked to list tools or to call one. @module */

/** One tool of the server `good` in a configuration file. */
export interface Use {
  config: string;
  tool: string;
  args?: Record<string, unknown>;
  /** After so long the call is to be given up. */
  seconds?: number;
  /** That the server may be of 2026-07-28 is to be told, where the client wants to be told. */
  newer?: boolean;
}

type Argv = readonly string[];

export interface Client {
  name: string;
  /** As npm knows it; none for our own. */
  package?: `${string}@${string}`;
  /** Commands to run in order from nothing; what the last one does is what counts. */
  call(use: Use): readonly Argv[];
  /** The tools of all servers, or none where one run knows one server. */
  list?(config: string): readonly Argv[];
  /** The tools of the server `good` alone; none where only a person at a terminal is shown them. */
  listOne?(config: string): readonly Argv[];
  /** Ends what it keeps running on purpose. */
  close?: Argv;
  /** Mends what `close` would end. */
  restart?: Argv;
  /** More in the entry of a server in the configuration, where a time is no option of a command. */
  entry?(seconds: number): Record<string, unknown>;
}

const modules = "node_modules";

/** @param here where the packages are installed; @param main our own program */
export function clients(here: string, main: string): Client[] {
  const at = (path: string) => ["node", `${here}/${modules}/${path}`];
  const fusebox = ["deno", "run", "-A", "--quiet", main];
  const mcporter = at("mcporter/dist/cli.js");
  const mcpc = at("@apify/mcpc/bin/mcpc");
  const inspector = [
    ...at("@modelcontextprotocol/inspector/clients/launcher/build/index.js"),
    "--cli",
    "--quiet",
  ];
  const mcpCli = at("@wong2/mcp-cli/src/cli.js");
  const json = JSON.stringify;
  return [
    {
      name: "fusebox",
      call: ({ config, tool, args = {}, seconds }) => [[
        ...fusebox,
        "call",
        `good.${tool}`,
        json(args),
        "--json",
        ...seconds ? ["--timeout", `${seconds}s`] : [],
        "-c",
        config,
      ]],
      list: (config) => [[...fusebox, "tools", "--json", "-c", config]],
      listOne: (config) => [[...fusebox, "tools", "good", "--json", "-c", config]],
    },
    {
      name: "mcporter",
      package: "mcporter@0.12.3",
      call: ({ config, tool, args = {}, seconds }) => [[
        ...mcporter,
        "--config",
        config,
        "call",
        `good.${tool}`,
        "--args",
        json(args),
        "--output",
        "json",
        ...seconds ? ["--timeout", `${seconds * 1000}`] : [],
      ]],
      list: (config) => [[...mcporter, "--config", config, "list", "--json"]],
      listOne: (config) => [[...mcporter, "--config", config, "list", "good", "--json"]],
    },
    {
      name: "mcpc",
      package: "@apify/mcpc@0.2.6",
      call: ({ config, tool, args = {}, seconds }) => [
        [...mcpc, "connect", `${config}:good`, "@good"],
        [
          ...mcpc,
          "@good",
          "tools-call",
          tool,
          json(args),
          "--json",
          ...seconds ? ["--timeout", `${seconds}`] : [],
        ],
      ],
      list: (
        config,
      ) => [[...mcpc, "connect", config], [...mcpc, "grep", ".", "-E", "--tools", "--json"]],
      listOne: (config) => [
        [...mcpc, "connect", `${config}:good`, "@good"],
        [...mcpc, "@good", "tools-list", "--json"],
      ],
      close: [...mcpc, "close", "@good"],
      restart: [...mcpc, "restart", "@good"],
    },
    {
      name: "Inspector --cli",
      package: "@modelcontextprotocol/inspector@2.12.0",
      call: ({ config, tool, args = {}, newer }) => [[
        ...inspector,
        ...newer ? ["--protocol-era", "auto"] : [],
        "--config",
        config,
        "--server",
        "good",
        "--method",
        "tools/call",
        "--tool-name",
        tool,
        "--tool-args-json",
        json(args),
      ]],
      listOne: (config) => [[
        ...inspector,
        "--config",
        config,
        "--server",
        "good",
        "--method",
        "tools/list",
      ]],
      entry: (seconds) => ({ requestTimeout: seconds * 1000 }),
    },
    {
      name: "mcp-cli",
      package: "@wong2/mcp-cli@2.0.0",
      call: ({ config, tool, args = {} }) => [[
        ...mcpCli,
        "--config",
        config,
        "call-tool",
        `good:${tool}`,
        "--args",
        json(args),
      ]],
    },
  ];
}
