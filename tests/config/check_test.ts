/** loadConfig() over our own files: everything that is wrong with them, at once. @module */
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { loadConfig as loadWith } from "../../lib/config/load.ts";
import { parseYaml } from "../../lib/config/yaml.ts";
import type { SourceFile } from "../../lib/config/read.ts";
import { type Issue, UsageError } from "../../lib/kit/usage.ts";

const loadConfig = (files: readonly SourceFile[]) => loadWith(files, parseYaml);

const FILE = "fusebox.yaml";

function issuesOf(...texts: (string | [path: string, text: string])[]): readonly Issue[] {
  const files = texts.map((text) =>
    typeof text === "string" ? { path: FILE, text } : { path: text[0], text: text[1] }
  );
  return assertThrows(() => loadConfig(files), UsageError, "Cannot use the configuration: ").issues;
}

Deno.test("loadConfig() tells everything that is wrong in all files at once, with file, path, line and hint", () => {
  const issues = issuesOf(
    [
      "a.yaml",
      `mdoel: offline
servers:
  notes:
    comand: fusebox
    args: serve-demo
    requierd: true
  My Notes:
    command: x
    disabled: yes
limits: { idle: 60 }
`,
    ],
    [
      "b.json",
      `{
  "servers": {
    "notes": { "command": "x", "command": "y" },
    "web": { "url": "https://example.com", "args": ["x"], "tools": { "alow": [] } },
  },
  "allow": ["notes", ".x"]
}`,
    ],
    ["c.yaml", "a: [1\n"],
  );
  assertEquals(
    issues.map(({ file, path, line, message, hint }) =>
      `${file}:${line} ${path}: ${message}${hint ? ` (${hint})` : ""}`
    ).filter((text) => !text.startsWith("c.yaml")),
    [
      'a.yaml:1 mdoel: Unknown key "mdoel" (Did you mean "model"?)',
      'a.yaml:4 servers.notes.comand: Unknown key "comand" (Did you mean "command"?)',
      'a.yaml:6 servers.notes.requierd: Unknown key "requierd" (Did you mean "required"?)',
      'a.yaml:7 servers["My Notes"]: Cannot call a server "My Notes" (Call it "my-notes": small ' +
      "letters and digits, single - or _ between them, at most 20 characters)",
      'a.yaml:9 servers["My Notes"].disabled: Expected true or false, got a string (Write true)',
      "a.yaml:10 limits.idle: Expected a duration, got 60 " +
      '(Write the unit: "60s", or "60ms" for milliseconds)',
      'b.json:3 servers.notes.command: Key "command" stands twice on one line ' +
      "(Keep one of them, or give the other a name of its own)",
      'b.json:3 servers.notes: Two servers are called "notes": "notes" in b.json:3 and "notes" in a.yaml:3 ' +
      "(Rename one of them, or leave one out)",
      'b.json:4 servers.web.tools.alow: Unknown key "alow" (Did you mean "allow"?)',
      "b.json:4 servers.web.args: No use for args here: a url goes with headers",
      'b.json:6 allow[1]: Cannot read the pattern ".x" (Write "alias.tool", "alias.*" or "alias"; ' +
      "* stands for any run of characters)",
    ],
  );
  assertEquals(issues.filter(({ file }) => file === "c.yaml").length, 1);
});

Deno.test("loadConfig() says what it expected and what it got instead", () => {
  const table: [text: string, path: string, message: string, hint?: string][] = [
    ["[a, b]", "", "Expected a mapping at the top of the file, got a list"],
    ["hello", "", "Expected a mapping at the top of the file, got a string"],
    ["servers: [{ command: x }]", "servers", "Expected a mapping of names to servers, got a list"],
    ["servers: { a: npx foo }", "servers.a", "Expected a mapping, got a string"],
    ["servers: { a: { command: 8080 } }", "servers.a.command", "Expected a string, got a number"],
    [
      "servers: { a: { command: [npx, foo] } }",
      "servers.a.command",
      "Expected a string, got a list",
    ],
    [
      "servers: { a: { command: x, args: 1 } }",
      "servers.a.args",
      "Expected a list of strings, got a number",
    ],
    [
      "servers: { a: { command: x, args: -y } }",
      "servers.a.args",
      "Expected a list of strings, got a string",
      'Write ["-y"]',
    ],
    [
      "servers: { a: { command: x, args: [a, [b]] } }",
      "servers.a.args[1]",
      "Expected a string, got a list",
    ],
    [
      "servers: { a: { command: x, args: [~] } }",
      "servers.a.args[0]",
      "Expected a string, got nothing",
    ],
    [
      "servers: { a: { command: x, env: [A=1] } }",
      "servers.a.env",
      "Expected a mapping of names to strings, got a list",
    ],
    [
      "servers: { a: { command: x, env: { A: { b: 1 } } } }",
      "servers.a.env.A",
      "Expected a string, got a mapping",
    ],
    [
      'servers: { a: { command: x, env: { "A=B": 1 } } }',
      "servers.a.env",
      'No variable can be called "A=B"',
    ],
    [
      "servers: { a: { command: x, required: 1 } }",
      "servers.a.required",
      "Expected true or false, got a number",
    ],
    [
      "servers: { a: { command: x, pins: of } }",
      "servers.a.pins",
      "Expected on or off, got a string",
    ],
    [
      "servers: { a: { command: x, type: stdio } }",
      "servers.a.type",
      'Unknown key "type"',
      "a command means stdio",
    ],
    ["servers: { a: { command: x, headers: {} } }", "servers.a.headers", "No use for headers here"],
    [
      "servers: { a: { command: x, timeout: 5s } }",
      "servers.a.timeout",
      'Unknown key "timeout"',
      "limits: { idle: 60s }",
    ],
    [
      "servers: { a: { command: x, <<: { args: [] } } }",
      'servers.a["<<"]',
      'Unknown key "<<"',
      "Merge keys",
    ],
    [
      "servers: { a: { command: x, limits: { start: 1s } } }",
      "servers.a.limits.start",
      'Unknown key "start"',
      "at the top",
    ],
    [
      "servers: { a: { command: x, tools: [x] } }",
      "servers.a.tools",
      "Expected a mapping, got a list",
    ],
    [
      "servers: { a: { command: x, tools: { limits: { t: { list: 1s } } } } }",
      "servers.a.tools.limits.t.list",
      'Unknown key "list"',
    ],
    ["limits: { idle: 0s }", "limits.idle", "Expected a duration, got 0s", "more than 0"],
    ["limits: { idle: 25h }", "limits.idle", "Expected a duration, got 25h", "at most 24h"],
    ["limits: { idle: [1s] }", "limits.idle", "Expected a duration, got a list"],
    ["limits: 30s", "limits", "Expected a mapping, got a string"],
    ["allow: notes.*", "allow", "Expected a list of strings, got a string", 'Write ["notes.*"]'],
    ["model: [offline]", "model", "Expected a string, got a list"],
    ['model: " "', "model", "The model has no name"],
    ["mode: fast", "mode", 'There is no mode "fast"', "auto, full, lazy, forward"],
    ["forwardAbove: 5", "forwardAbove", "Expected a string, got a number"],
    ["forwardAbove: 101%", "forwardAbove", 'Expected a share, got "101%"', "from 0% to 100%"],
    ["forwardAbove: -1%", "forwardAbove", 'Expected a share, got "-1%"'],
    ["forwardAbove: some", "forwardAbove", 'Expected a share, got "some"'],
    ["inputs: []", "inputs", 'Unknown key "inputs"'],
    ["mcp_servers: {}", "mcp_servers", 'Unknown key "mcp_servers"', 'Did you mean "mcpServers"?'],
    ["__proto__: {}", "__proto__", 'Unknown key "__proto__"'],
    ["zebra:", "zebra", 'Unknown key "zebra"'],
  ];
  for (const [text, path, message, hint] of table) {
    const [issue, ...more] = issuesOf(text);
    assertEquals(more, [], text);
    assertEquals(issue?.path, path, text);
    assertStringIncludes(issue!.message, message);
    assertStringIncludes(issue!.hint ?? "", hint ?? "", text);
  }
});

Deno.test("loadConfig() refuses an alias that would not make a name for a model, and suggests one", () => {
  const table: [key: string, hint: string][] = [
    ["Notes", 'Call it "notes"'],
    ["my__notes", 'Call it "my-notes"'],
    ["my.notes", 'Call it "my-notes"'],
    ["-notes", 'Call it "notes"'],
    ["a-very-long-alias-indeed", 'Call it "a-very-long-alias-in"'],
    ["Žluťoučký", 'Call it "zlutoucky"'],
    ["日本", "Use small letters"],
    ["__proto__", 'Call it "proto"'],
  ];
  for (const [key, hint] of table) {
    const [issue, ...more] = issuesOf(`servers:\n  "${key}": { command: x }\n`);
    assertEquals(more, [], key);
    assertStringIncludes(issue!.message, `Cannot call a server "${key}"`);
    assertStringIncludes(issue!.hint!, hint);
  }
  for (const alias of ["a", "0", "notes", "my-notes_2", "constructor", "a".repeat(20)]) {
    const text = `servers: { ${alias}: { command: x } }`;
    assertEquals(loadConfig([{ path: FILE, text }]).servers[0]?.alias, alias);
  }
});

Deno.test("loadConfig() names both places of an alias that is given twice", () => {
  const issues = issuesOf(
    ["a.yaml", "servers:\n  notes: { command: x }\n"],
    ["b.json", '{\n"mcpServers": {\n"Notes": {"command": "y"}}}'],
  );
  assertEquals(issues.map(({ message }) => message), [
    'Two servers are called "notes": "Notes" in b.json:3 and "notes" in a.yaml:2',
  ]);
  const yaml = issuesOf("servers:\n  notes: { command: x }\n  notes: { command: y }\n");
  assertEquals(yaml.map(({ path, line, message }) => [path, line, message]), [
    ["servers.notes", 3, 'Key "notes" stands twice, first on line 2'],
  ]);
});

Deno.test("loadConfig() reads how the model's API is reached, and takes no key from a file", () => {
  const text = "api: { baseUrl: http://localhost:8080/v1, keyEnv: MY_KEY, version: v1beta }\n";
  assertEquals(loadConfig([{ path: FILE, text }]).api, {
    baseUrl: "http://localhost:8080/v1",
    keyEnv: "MY_KEY",
    version: "v1beta",
  });
  const [issue] = issuesOf("api: { key: sk-123 }\n");
  assertStringIncludes(issue!.hint ?? "", "keyEnv");
});
