/** loadConfig() over files that other clients wrote: they load, and none of them spoils the rest. @module */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { Config, ServerConfig } from "../../lib/config/config.ts";
import { loadConfig as loadWith } from "../../lib/config/load.ts";
import { parseYaml } from "../../lib/config/yaml.ts";
import type { SourceFile } from "../../lib/config/read.ts";
import { UsageError } from "../../lib/kit/usage.ts";

const loadConfig = (files: readonly SourceFile[]) => loadWith(files, parseYaml);

const FILE = "claude_desktop_config.json";

function load(value: unknown, path = FILE): Config {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return loadConfig([{ path, text }]);
}

function only(entry: unknown): { server: ServerConfig; notes: readonly string[] } {
  const { servers, notes } = load({ mcpServers: { a: entry } });
  assertEquals(servers.length, 1);
  return { server: servers[0]!, notes };
}

Deno.test("loadConfig() reads what Claude Desktop writes", () => {
  const config = load({
    globalShortcut: "Ctrl+Space",
    mcpServers: {
      "filesystem": {
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"],
      },
      "My GitHub": {
        command: "docker",
        args: ["run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server"],
        env: { GITHUB_TOKEN: "${GITHUB_TOKEN}" },
      },
    },
  });
  assertEquals(config.servers.map(({ alias, problem }) => [alias, problem]), [
    ["filesystem", undefined],
    ["my-github", undefined],
  ]);
  assertEquals<unknown>(config.servers[1]!.reach, {
    kind: "stdio",
    command: "docker",
    args: ["run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server"],
    env: { GITHUB_TOKEN: "${GITHUB_TOKEN}" },
    inheritEnv: false,
  });
  assertEquals(config.notes, [
    `${FILE}: not used: "globalShortcut"`,
    `${FILE}: "My GitHub" is called my-github here`,
  ]);
});

Deno.test("loadConfig() reads what Cursor, Cline, Windsurf and Gemini write", () => {
  const config = load({
    mcpServers: {
      cursor: {
        type: "stdio",
        command: "python",
        args: ["s.py"],
        envFile: "${workspaceFolder}/.env",
      },
      cline: {
        command: "node",
        args: ["a.js"],
        disabled: true,
        timeout: 60,
        autoApprove: ["search"],
        alwaysAllow: ["search"],
      },
      roo: {
        type: "streamable-http",
        url: "https://example.com/mcp",
        headers: { A: "b" },
        timeout: 5,
      },
      windsurf: { serverUrl: "https://example.com/sse", disabledTools: ["delete"] },
      gemini: {
        httpUrl: "https://example.com/mcp",
        url: "https://example.com/old",
        trust: true,
        includeTools: ["read"],
        excludeTools: ["write"],
      },
      old: { type: "sse", url: "https://example.com/sse" },
      copilot: { type: "local", command: "x", tools: ["a", "b"] },
      codex: { command: "x", enabled: false },
    },
  });
  const found = Object.fromEntries(config.servers.map((server) => [server.alias, server]));
  assertEquals(config.servers.filter(({ problem }) => problem), []);
  assertEquals(config.servers.filter(({ disabled }) => disabled).map(({ alias }) => alias), [
    "cline",
    "codex",
  ]);
  const urls = config.servers.map(({ reach }) => reach.kind === "http" ? reach.url : undefined);
  assertEquals(urls.filter(Boolean), [
    "https://example.com/mcp",
    "https://example.com/sse",
    "https://example.com/mcp",
    "https://example.com/sse",
  ]);
  assertEquals(found.windsurf!.tools, { allow: ["*"], deny: ["delete"], limits: [] });
  assertEquals(found.gemini!.tools, { allow: ["read"], deny: ["write"], limits: [] });
  assertEquals(found.copilot!.tools, { allow: ["a", "b"], deny: [], limits: [] });
  // Permissions are never taken over.
  assertEquals([config.allow, config.servers.filter(({ trusted }) => trusted)], [[], []]);
  const told = config.notes.map((note) => note.slice(FILE.length + 2));
  assertEquals(told, [
    '"envFile" (cursor) is not read: put the variables into the environment, or under env',
    '"timeout" (cline, roo) is not taken over, for some clients mean seconds and some ' +
    "milliseconds: write limits: { idle: 60s }",
    '"autoApprove" (cline) is not taken over: only you give permissions, with allow:',
    '"alwaysAllow" (cline) is not taken over: only you give permissions, with allow:',
    '"trust" (gemini) is not taken over: only you give permissions, with allow:',
    '"sse" (old) means the old HTTP+SSE transport, which is not spoken',
  ]);
});

Deno.test("loadConfig() reads what VS Code writes, by its inputs or by the name of its file", () => {
  const text = `{
    // asked once
    "inputs": [{ "type": "promptString", "id": "key", "description": "Key", "password": true }],
    "servers": {
      "Perplexity": {
        "type": "stdio",
        "command": "npx",
        "args": ["-y", "server-perplexity"],
        "env": { "KEY": "\${input:key}" },
        "dev": { "watch": "x" },
      },
      "fetch": { "type": "http", "url": "https://example.com/mcp" },
    },
  }`;
  const config = load(text, "settings.json");
  assertEquals(config.servers.map(({ alias, reach }) => [alias, reach.kind]), [
    ["perplexity", "stdio"],
    ["fetch", "http"],
  ]);
  assertEquals(config.notes.map((note) => note.split(": ").slice(1).join(": ")), [
    '"inputs" are what VS Code asks its user for: write ${NAME} instead of ${input:…} and set that variable',
    '"Perplexity" is called perplexity here',
    '"dev" (perplexity) is not used',
  ]);
  const bare = load({ servers: { a: { type: "stdio", command: "x" } } }, ".vscode/mcp.json");
  assertEquals([bare.servers.length, bare.notes], [1, []]);
  assertThrows(
    () => load({ servers: { a: { type: "stdio", command: "x" } } }, "x.json"),
    UsageError,
  );
});

Deno.test("loadConfig() lets nothing in one foreign entry spoil another", () => {
  const table: [entry: unknown, problem: string][] = [
    [null, "it has neither a command nor a url"],
    [{}, "it has neither a command nor a url"],
    [{ type: "http" }, "it has neither a command nor a url"],
    ["npx foo", "expected a mapping, got a string"],
    [{ command: 7 }, "expected a string, got a number (command)"],
    [{ command: "x", args: "y" }, "expected a list of strings, got a string (args)"],
    [{ command: "x", args: [{}] }, "expected a string, got a mapping (args[0])"],
    [
      { command: "x", url: "https://example.com" },
      "it has both a command and a url: keep one of them",
    ],
    [{ serverUrl: "example.com" }, "its url is no address that begins with https:// or http://"],
    [{ command: "x", disabled: "maybe" }, "expected true or false, got a string (disabled)"],
    [{ command: "x", limits: { idle: 5 } }, "expected a duration, got 5 (limits.idle)"],
    [{ command: [] }, "it has neither a command nor a url"],
  ];
  for (const [entry, problem] of table) {
    const { servers } = load({ mcpServers: { good: { command: "x" }, odd: entry } });
    assertEquals(servers.map((server) => [server.alias, server.problem]), [
      ["good", undefined],
      ["odd", problem],
    ]);
  }
});

Deno.test("loadConfig() lets type decide between a command and a url", () => {
  const both = { command: "x", args: ["y"], url: "https://example.com", headers: { A: "b" } };
  assertEquals(only({ ...both, type: "http" }).server.reach.kind, "http");
  const { server, notes } = only({ ...both, type: "stdio" });
  assertEquals([server.reach.kind, server.problem], ["stdio", undefined]);
  assertEquals(notes, [`${FILE}: "url" (a) is not used`, `${FILE}: "headers" (a) is not used`]);
});

Deno.test("loadConfig() takes a command that is a list apart, and our own keys as they are", () => {
  const { server, notes } = only({
    command: ["npx", "-y", "foo"],
    required: true,
    description: "Foo",
    limits: { idle: "5s" },
  });
  assert(server.reach.kind === "stdio");
  assertEquals([server.reach.command, server.reach.args], ["npx", ["-y", "foo"]]);
  assertEquals([server.required, server.description, server.limits.idleMs], [true, "Foo", 5_000]);
  assertEquals(notes, []);
});

Deno.test("loadConfig() makes an alias of any key, and an issue of what cannot be one", () => {
  const keys: [key: string, alias: string][] = [
    ["My GitHub", "my-github"],
    ["@scope/server.name", "scope-server-name"],
    ["snake_case", "snake_case"],
    ["a__b", "a-b"],
    ["-x-", "x"],
    ["Ünïcode", "unicode"],
    ["this-is-a-quite-long-name", "this-is-a-quite-long"],
    ["nineteen-characters-and", "nineteen-characters"],
    ["__proto__", "proto"],
    ["constructor", "constructor"],
  ];
  for (const [key, alias] of keys) {
    const text = `{"mcpServers": {${JSON.stringify(key)}: {"command": "x"}}}`;
    const { servers, notes } = load(text);
    assertEquals(servers.map((server) => server.alias), [alias]);
    assertEquals(notes.length, key === alias ? 0 : 1);
  }
  const error = assertThrows(() => load({ mcpServers: { "日本": { command: "x" } } }), UsageError);
  assertStringIncludes(error.issues[0]!.message, 'Cannot make an alias of "日本"');
});

Deno.test("loadConfig() names both keys that make the same alias", () => {
  const error = assertThrows(
    () => load({ mcpServers: { "My GitHub": { command: "x" }, "my github": { command: "y" } } }),
    UsageError,
  );
  assertEquals(error.issues.map(({ message }) => message), [
    'Two servers are called "my-github": "my github" in claude_desktop_config.json:6 and ' +
    '"My GitHub" in claude_desktop_config.json:3',
  ]);
});

Deno.test("loadConfig() takes a model from another client's file only where it names a provider", () => {
  assertEquals(load({ model: "opus", mcpServers: {} }).model, undefined);
  assertEquals(load({ model: { name: "x" }, mcpServers: {} }).model, undefined);
  assertEquals(load({ model: "openai/gpt-5", mcpServers: {} }).model, "openai/gpt-5");
  assertEquals(load({ model: "offline", mcpServers: {} }).model, "offline");
});

Deno.test("loadConfig() tells many unused keys in one note", () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, i]));
  assertEquals(load({ ...many, mcpServers: {} }).notes, [
    `${FILE}: not used: "k0", "k1", "k2", "k3", "k4" and 35 more`,
  ]);
});

Deno.test("loadConfig() stays strict about servers beside mcpServers", () => {
  const error = assertThrows(
    () => load({ servers: { a: { comand: "x" } }, mcpServers: { b: { comand: "x" } }, odd: 1 }),
    UsageError,
  );
  assertEquals(error.issues.map(({ path }) => path), ["servers.a.comand", "odd"]);
});
