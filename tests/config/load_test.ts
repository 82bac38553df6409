/** loadConfig() over our own files: what a Config holds. @module */
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  type Config,
  DEFAULT_FUSE,
  DEFAULT_LIMITS,
  type ServerConfig,
} from "../../lib/config/config.ts";
import { loadConfig as loadWith } from "../../lib/config/load.ts";
import { parseYaml } from "../../lib/config/yaml.ts";
import type { SourceFile } from "../../lib/config/read.ts";
import { UsageError } from "../../lib/kit/usage.ts";

const loadConfig = (files: readonly SourceFile[]) => loadWith(files, parseYaml);

const FILE = "fusebox.yaml";

function load(text: string, path = FILE): Config {
  return loadConfig([{ path, text }]);
}

function server(config: Config, alias: string): ServerConfig {
  const found = config.servers.find((one) => one.alias === alias);
  assert(found, `no ${alias}`);
  return found;
}

/** The example of the README and the design, word for word. */
const EXAMPLE = `
model: anthropic/claude-sonnet-4-5        # or openai/…, gemini/…, ollama/…, offline
servers:
  notes:
    command: fusebox
    args: [serve-demo, notes]
    env: { NOTES_TOKEN: "\${NOTES_TOKEN}" } # \${VAR} and \${VAR:-default}
    description: Personal notes            # what --lazy shows before the server was ever started
    tools: { allow: ["*"], deny: ["delete_*"], limits: { analyse: { idle: 2m } } }
    limits: { handshake: 30s, list: 30s, idle: 60s, cap: 10m }
  tracker:
    url: https://mcp.example.com/mcp
    headers: { Authorization: "Bearer \${TRACKER_TOKEN}" }
    trusted: false                         # only a trusted server's readOnlyHint may spare the user a question
allow: ["notes.*"]                         # calls that need no question
limits: { start: 15s }                     # defaults for all servers may stand here too
`;

Deno.test("loadConfig() reads the example", () => {
  assertEquals<unknown>(load(EXAMPLE), {
    model: "anthropic/claude-sonnet-4-5",
    servers: [
      {
        alias: "notes",
        file: FILE,
        reach: {
          kind: "stdio",
          command: "fusebox",
          args: ["serve-demo", "notes"],
          env: { NOTES_TOKEN: "${NOTES_TOKEN}" },
          inheritEnv: false,
        },
        description: "Personal notes",
        required: false,
        trusted: false,
        disabled: false,
        tools: {
          allow: ["*"],
          deny: ["delete_*"],
          limits: [{ pattern: "analyse", idleMs: 120_000 }],
        },
        limits: DEFAULT_LIMITS,
        fuse: DEFAULT_FUSE,
      },
      {
        alias: "tracker",
        file: FILE,
        reach: {
          kind: "http",
          url: "https://mcp.example.com/mcp",
          headers: { Authorization: "Bearer ${TRACKER_TOKEN}" },
        },
        required: false,
        trusted: false,
        disabled: false,
        tools: { allow: ["*"], deny: [], limits: [] },
        limits: DEFAULT_LIMITS,
        fuse: DEFAULT_FUSE,
      },
    ],
    allow: ["notes.*"],
    deny: [],
    limits: DEFAULT_LIMITS,
    fuse: DEFAULT_FUSE,
    notes: [],
  });
});

Deno.test("loadConfig() takes nothing for an empty configuration", () => {
  const empty: Config = {
    servers: [],
    allow: [],
    deny: [],
    limits: DEFAULT_LIMITS,
    fuse: DEFAULT_FUSE,
    notes: [],
  };
  assertEquals(loadConfig([]), empty);
  for (const text of ["", "\n# nothing yet\n", "servers:\n", "servers: {}\nallow:\nlimits:\n"]) {
    assertEquals(load(text), empty, text);
  }
  for (const text of ["", "// nothing yet", "{}", '{"servers": null}']) {
    assertEquals(load(text, "f.json"), empty, text);
  }
});

Deno.test("loadConfig() takes what stands empty for not written", () => {
  const config = load(
    "servers:\n  a:\n    command: x\n    args:\n    env:\n    tools:\n    cwd: ~\n",
  );
  assertEquals(server(config, "a").reach, {
    kind: "stdio",
    command: "x",
    args: [],
    env: {},
    inheritEnv: false,
  });
});

Deno.test("loadConfig() hands numbers and flags to a program as they were written", () => {
  const yaml = `servers:
  a:
    command: x
    args: [--port, 8080, --mode, 0755, --version, 1.0, true]
    env: { PORT: 8080, DEBUG: true, SINCE: 2026-01-02, ZIP: 01234 }
  b:
    url: https://example.com
    headers: { X-Version: 1.0 }
`;
  const { reach } = server(load(yaml), "a");
  assert(reach.kind === "stdio");
  assertEquals(reach.args, ["--port", "8080", "--mode", "0755", "--version", "1.0", "true"]);
  assertEquals(reach.env, { PORT: "8080", DEBUG: "true", SINCE: "2026-01-02", ZIP: "01234" });
  const remote = server(load(yaml), "b").reach;
  assert(remote.kind === "http");
  assertEquals(remote.headers, { "X-Version": "1.0" });
});

Deno.test("loadConfig() lays the limits of a server over those of the files, and these over the defaults", () => {
  const config = loadConfig([
    {
      path: "a.yaml",
      text: "servers: { a: { command: x, limits: { idle: 5s } } }\nlimits: { list: 1s }",
    },
    {
      path: "b.json",
      text: '{"servers": {"b": {"command": "y"}}, "limits": {"list": "2s", "probe": "1s"}}',
    },
  ]);
  const files = { ...DEFAULT_LIMITS, listMs: 2_000, probeMs: 1_000 };
  assertEquals(config.limits, files);
  assertEquals(server(config, "a").limits, { ...files, idleMs: 5_000 });
  assertEquals(server(config, "b").limits, files);
});

Deno.test("loadConfig() puts limits of a tool's full name before those of patterns", () => {
  const config = load(
    'servers: { a: { command: x, tools: { limits: { "*": { idle: 1s }, slow: { cap: 1h } } } } }',
  );
  assertEquals(server(config, "a").tools.limits, [
    { pattern: "slow", capMs: 3_600_000 },
    { pattern: "*", idleMs: 1_000 },
  ]);
});

Deno.test("loadConfig() adds up lists of several files and lets the last model count", () => {
  const config = loadConfig([
    {
      path: "a.yaml",
      text: "model: offline\nservers: { a: { command: x } }\nallow: [a.read]\ndeny: [a.write]",
    },
    { path: "b.yaml", text: 'model: openai/gpt-5\nservers: { b: { command: x } }\nallow: ["b"]' },
    {
      path: "a.yaml",
      text: "model: offline\nservers: { a: { command: x } }\nallow: [a.read]\ndeny: [a.write]",
    },
  ]);
  assertEquals(config.servers.map(({ alias }) => alias), ["a", "b"]);
  assertEquals([config.model, config.allow, config.deny], [
    "openai/gpt-5",
    ["a.read", "b"],
    ["a.write"],
  ]);
});

Deno.test("loadConfig() keeps a server that can never be attached, with its problem, and the others", () => {
  const table: [entry: string, problem: string | undefined][] = [
    ["", "it has neither a command nor a url"],
    ["{}", "it has neither a command nor a url"],
    ["{ args: [a] }", "it has neither a command nor a url"],
    ['{ command: "" }', "it has neither a command nor a url"],
    [
      "{ command: x, url: https://example.com }",
      "it has both a command and a url: keep one of them",
    ],
    ["{ url: example.com/mcp }", "its url is no address that begins with https:// or http://"],
    ["{ url: ws://example.com }", "its url is no address that begins with https:// or http://"],
    ["{ url: https://example.com }", undefined],
    ['{ url: "${BASE}/mcp" }', undefined],
    ["{ command: x, disabled: true, required: true }", undefined],
  ];
  for (const [entry, problem] of table) {
    const config = load(`servers:\n  good: { command: y }\n  odd: ${entry}\n`);
    assertEquals(server(config, "odd").problem, problem, entry);
    assertEquals(server(config, "good").problem, undefined);
  }
});

Deno.test("loadConfig() notes a pattern over no server, and refuses a denial that nearly names one", () => {
  const config = load(
    'servers: { notes: { command: x } }\nallow: ["*", "*.search", notes, "no*.x", ticket.close]\ndeny: [zebra]',
  );
  assertEquals(config.notes, [
    'fusebox.yaml:2: allow[4]: No server is called "ticket"',
    'fusebox.yaml:3: deny[0]: No server is called "zebra"',
  ]);
  assertEquals(load("servers: { notes: { command: x } }\nallow: [notse.x]").notes, [
    'fusebox.yaml:2: allow[0]: No server is called "notse". Did you mean "notes"?',
  ]);
  const { issues } = assertThrows(
    () => load("servers: { notes: { command: x } }\ndeny: [notse.x]"),
    UsageError,
  );
  assertEquals([issues[0]?.path, issues[0]?.hint], ["deny[0]", 'Did you mean "notes"?']);
});

Deno.test("loadConfig() notes a silence that may last longer than the call", () => {
  const config = load(
    "servers:\n  a: { command: x, limits: { idle: 20m } }\n  b: { command: y }\n",
  );
  assertEquals(config.notes, [
    "fusebox.yaml: servers.a.limits: idle (20m) is longer than cap (10m), so a call ends after 10m; " +
    "raise limits.cap too",
  ]);
  assertEquals(load("limits: { idle: 20m, cap: 30m }\nservers: { a: { command: x } }").notes, []);
});

Deno.test("loadConfig() reads YAML anchors for whole values", () => {
  const config = load(
    "servers:\n  a: { command: x, env: &env { A: 1 } }\n  b: { command: y, env: *env }\n",
  );
  assertEquals(server(config, "b").reach, {
    kind: "stdio",
    command: "y",
    args: [],
    env: { A: "1" },
    inheritEnv: false,
  });
});

Deno.test("loadConfig() reads thousands of servers in about linear time", () => {
  const servers = Array.from(
    { length: 3_000 },
    (_, i) => `  s${i}:\n    command: x\n    args: [a, b]\n`,
  );
  assertEquals(load(`servers:\n${servers.join("")}`).servers.length, 3_000);
});

Deno.test("loadConfig() lays the fuse and the concurrency of a server over those at the top", () => {
  const config = load(
    "fuse: { failures: 2, backoff: 1s }\nlimits: { concurrency: 4, overall: 20 }\n" +
      "servers:\n  a: { command: x, fuse: { failures: 9, stable: 5s }, limits: { concurrency: 1 } }\n  b: { command: x }\n",
  );
  assertEquals(server(config, "a").fuse, {
    ...DEFAULT_FUSE,
    failures: 9,
    backoffMs: 1_000,
    stableMs: 5_000,
  });
  assertEquals(server(config, "b").fuse?.failures, 2);
  assertEquals([config.limits.overall, server(config, "a").limits.concurrency], [20, 1]);
  assertEquals(server(config, "b").limits.concurrency, 4);
});

Deno.test("loadConfig() refuses a fuse that never opens or for ever, and an overall limit of one server", () => {
  const wrong = {
    "fuse: { failures: 0 }": "whole number from 1",
    "fuse: { exits: 1.5 }": "whole number from 1",
    "fuse: { backoff: 5 }": "Expected a duration",
    "fuse: { cap: 48h }": "Expected a duration",
    "fuse: { retries: 5 }": "Unknown key",
    "limits: { concurrency: none }": "whole number from 1",
    "servers: { a: { command: x, limits: { overall: 3 } } }": "Unknown key",
  };
  for (const [text, why] of Object.entries(wrong)) {
    const error = assertThrows(() => load(text), UsageError);
    assert(error.issues?.[0]?.message.includes(why), `${text}: ${error.issues?.[0]?.message}`);
  }
});
