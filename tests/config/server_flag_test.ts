/** `--server`: commands taken apart as a shell would, and the names that come of them. @module */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { DEFAULT_LIMITS } from "../../lib/config/config.ts";
import { isAlias } from "../../lib/config/alias.ts";
import { parseServerFlag, splitWords } from "../../lib/config/server_flag.ts";
import { UsageError } from "../../lib/kit/usage.ts";

/** With these aliases taken, each by a file. */
const parseFlag = (text: string, taken: readonly string[]) =>
  parseServerFlag(text, new Map(taken.map((alias) => [alias, "fusebox.yaml"])));

Deno.test("parseServerFlag() makes a server of a command with an alias", () => {
  assertEquals<unknown>(parseFlag('notes=npx -y "@scope/my server" --x=1', []), {
    alias: "notes",
    file: "command line",
    reach: {
      kind: "stdio",
      command: "npx",
      args: ["-y", "@scope/my server", "--x=1"],
      env: {},
      inheritEnv: false,
    },
    required: false,
    trusted: false,
    disabled: false,
    tools: { allow: ["*"], deny: [], limits: [] },
    limits: DEFAULT_LIMITS,
  });
});

Deno.test("parseServerFlag() makes a server of a url", () => {
  const { alias, reach } = parseFlag("tracker=https://example.com/mcp?a=b", []);
  assertEquals<unknown>([alias, reach], [
    "tracker",
    { kind: "http", url: "https://example.com/mcp?a=b", headers: {} },
  ]);
});

Deno.test("parseServerFlag() derives an alias from what the command is about", () => {
  const table: [text: string, alias: string][] = [
    ["npx -y @modelcontextprotocol/server-everything", "everything"],
    ["npx -y @modelcontextprotocol/server-filesystem@1.2.3 /tmp", "filesystem"],
    ["npx @acme/mcp-server", "acme"],
    ["npx -y mcp-remote https://example.com", "remote"],
    ["npx cowsay-mcp@latest", "cowsay"],
    ["pnpm dlx server-foo", "foo"],
    ["uvx mcp-server-git --repository .", "git"],
    ["uvx --from git+https://github.com/x/serena serena start", "serena"],
    ["python -m weather.server", "weather"],
    ["python3 tools/stock_prices.py", "stock-prices"],
    ["node ./weather/dist/index.js", "weather"],
    ["deno run -A npm:@modelcontextprotocol/server-memory@1", "memory"],
    ["deno run -A server.ts", "deno"],
    ["docker run -i --rm -e TOKEN=x ghcr.io/github/github-mcp-server:latest", "github"],
    ["env TOKEN=x npx -y foo", "foo"],
    ["/opt/tools/notes-server --verbose", "notes"],
    ["C:\\tools\\Notes.exe --x", "notes"],
    ["fusebox serve-demo tickets --legacy", "tickets"],
    ["My.Server", "my"],
    ["日本", "server"],
    ["https://mcp.linear.app/sse", "linear"],
    ["https://api.githubcopilot.com/mcp/", "githubcopilot"],
    ["https://www.example.co.uk", "example"],
    ["http://localhost:3000/mcp", "localhost"],
    ["http://127.0.0.1:8080", "127-0-0-1"],
    ["https://${HOST}/mcp", "host"],
  ];
  for (const [text, alias] of table) {
    assertEquals(parseFlag(text, []).alias, alias, text);
    assert(isAlias(alias));
  }
});

Deno.test("parseServerFlag() counts on where a derived alias is taken", () => {
  assertEquals(parseFlag("npx foo", ["foo"]).alias, "foo-2");
  assertEquals(parseFlag("npx foo", ["foo", "foo-2"]).alias, "foo-3");
  const long = parseFlag("npx a-very-long-package-name", ["a-very-long-package"]).alias;
  assertEquals([long, isAlias(long)], ["a-very-long-packag-2", true]);
});

Deno.test("parseServerFlag() says what is wrong, and what to write instead", () => {
  const table: [text: string, message: string, hint: string][] = [
    ["", "needs a command or a url", "--server 'alias=COMMAND"],
    ["   ", "needs a command or a url", "--server"],
    ["x=", "needs a command or a url", "--server"],
    ['""', "needs a command or a url", "--server"],
    ["Notes=npx foo", 'Cannot call a server "Notes"', 'Call it "notes"'],
    ["a_very_long_alias_indeed=x", "Cannot call a server", 'Call it "a_very_long_alias_in"'],
    ["TOKEN=abc npx foo", 'Cannot call a server "TOKEN"', "env TOKEN=… COMMAND"],
    ["notes=npx foo", 'Two servers are called "notes"', "another alias"],
    ['x=npx "foo', 'A " in --server is never closed', "--server"],
    ["x=npx 'foo", "A ' in --server is never closed", "--server"],
    ["cat x | server", '"|" has no meaning', "sh -c"],
    ["server && other", '"&&" has no meaning', "sh -c"],
    ["server 2>&1", '"2>&1" has no meaning', "sh -c"],
    ["https://", "Cannot read the url", "--server"],
  ];
  for (const [text, message, hint] of table) {
    const error = assertThrows(() => parseFlag(text, ["notes"]), UsageError);
    assertStringIncludes(error.message, message, text);
    assertStringIncludes(error.hint ?? "", hint, text);
  }
});

Deno.test("splitWords() divides as a shell does and expands nothing", () => {
  const table: [line: string, words: string[]][] = [
    ["a  b\tc\nd", ["a", "b", "c", "d"]],
    ["", []],
    ['a "b c" d', ["a", "b c", "d"]],
    ["a 'b \"c\"' d", ["a", 'b "c"', "d"]],
    ['a "b \\"c\\" \\\\ \\n"', ["a", 'b "c" \\ \\n']],
    ["a 'b\\'", ["a", "b\\"]],
    ["a\\ b c", ["a b", "c"]],
    ["a \"\" ''", ["a", "", ""]],
    ['--x="y z"w', ["--x=y zw"]],
    ["C:\\tools\\x.exe", ["C:\\tools\\x.exe"]],
    ["$HOME ~ *.ts ${A} `b`", ["$HOME", "~", "*.ts", "${A}", "`b`"]],
    ["a '|' \">\" \\\\", ["a", "|", ">", "\\"]],
    ["# a", ["#", "a"]],
  ];
  for (const [line, words] of table) assertEquals(splitWords(line), words, line);
});
