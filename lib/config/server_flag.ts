/** `--server '[alias=]COMMAND'`: a server for one run, without a file. @module */
import { UsageError } from "../kit/usage.ts";
import { isAlias, slug, uniqueAlias } from "./alias.ts";
import { DEFAULT_LIMITS, type Limits, type Reach, type ServerConfig } from "./config.ts";

const EXAMPLE = "Write --server 'alias=COMMAND ARGUMENTS' or --server 'alias=https://…'";

/**
 * A command line, split as a shell would but with nothing expanded, or a URL. Without an alias one
 * is derived from it that is not among `taken` (alias → where it stands). `limits` are those of the configuration.
 *
 * @throws UsageError
 */
export function parseServerFlag(
  text: string,
  taken: ReadonlyMap<string, string>,
  limits: Limits = DEFAULT_LIMITS,
): ServerConfig {
  const [, given, after] = /^\s*([^\s=/\\"':.]+)=(.*)$/s.exec(text) ?? [];
  if (given !== undefined) checkAlias(given, taken);
  const target = (after ?? text).trim();
  if (!target) throw new UsageError("A server needs a command or a url", { hint: EXAMPLE });
  const { reach, name } = /^https?:\/\//i.test(target) ? remote(target) : local(target);
  return {
    alias: given ?? uniqueAlias(name, taken),
    file: "command line",
    reach,
    required: false,
    trusted: false,
    disabled: false,
    tools: { allow: ["*"], deny: [], limits: [] },
    limits,
  };
}

function checkAlias(alias: string, taken: ReadonlyMap<string, string>): void {
  const place = taken.get(alias);
  if (place !== undefined) {
    const where = place === "command line" ? "--server" : place;
    throw new UsageError(`Two servers are called "${alias}": one in ${where}, one by --server`, {
      hint: "Give it another alias: --server 'alias=…'",
    });
  }
  if (isAlias(alias)) return;
  const better = slug(alias);
  throw new UsageError(`Cannot call a server ${JSON.stringify(alias)}`, {
    hint: /^[A-Z][A-Z0-9_]*$/.test(alias)
      ? `To set a variable, write --server 'alias=env ${alias}=… COMMAND'`
      : better
      ? `Call it "${better}"`
      : EXAMPLE,
  });
}

function remote(url: string): { reach: Reach; name: string } {
  const parsed = URL.parse(url);
  if (!parsed && !url.includes("${")) {
    throw new UsageError(`Cannot read the url ${JSON.stringify(url)}`, { hint: EXAMPLE });
  }
  return { reach: { kind: "http", url, headers: {} }, name: nameOfHost(parsed?.hostname ?? "") };
}

/** `mcp.linear.app` is linear: the longest label that is neither the last nor a common word. */
function nameOfHost(host: string): string {
  if (/^[\d.]+$|^\[/.test(host)) return slug(host) || "server";
  const labels = host.split(".");
  const telling = (labels.length > 1 ? labels.slice(0, -1) : labels)
    .filter((label) => !["www", "mcp", "api"].includes(label));
  return slug(telling.sort((a, b) => b.length - a.length)[0] ?? host) || "server";
}

function local(line: string): { reach: Reach; name: string } {
  const [command = "", ...args] = splitWords(line);
  if (!command) throw new UsageError("A server needs a command or a url", { hint: EXAMPLE });
  return {
    reach: { kind: "stdio", command, args, env: {}, inheritEnv: false },
    name: nameOfCommand(command, args),
  };
}

/**
 * Words as a shell splits them: blanks divide, quotes join, and a backslash keeps a blank, a quote
 * or a backslash from its work. Other backslashes stay, for paths have them on Windows.
 *
 * @throws UsageError for a quotation without end, and for `|`, `&&`, `>` and the like.
 */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let plain = true;
  let quote = "";
  const add = (text: string) => word = (word ?? "") + text;
  const end = () => {
    if (word !== undefined && plain && /^(?:\|\|?|&&?|;|\d?>{1,2}(?:&\d)?|<)$/.test(word)) {
      throw new UsageError(`No shell reads --server, so ${JSON.stringify(word)} has no meaning`, {
        hint: `Write --server "alias=sh -c '…'" where you want one`,
      });
    }
    if (word !== undefined) words.push(word);
    word = undefined;
    plain = true;
  };
  for (let i = 0; i < line.length; i++) {
    const character = line[i]!;
    const next = line[i + 1] ?? "";
    if (quote) {
      if (character === quote) quote = "";
      else if (character === "\\" && quote === '"' && /["\\]/.test(next)) add(line[++i]!);
      else add(character);
    } else if (character === '"' || character === "'") {
      quote = character;
      add("");
      plain = false;
    } else if (/\s/.test(character)) {
      end();
    } else if (character === "\\" && /[\s"'\\]/.test(next)) {
      add(line[++i]!);
      plain = false;
    } else {
      add(character);
    }
  }
  if (quote) throw new UsageError(`A ${quote} in --server is never closed`, { hint: EXAMPLE });
  end();
  return words;
}

const RUNNERS = new Set(
  ("npx bunx pnpx pnpm yarn npm uvx uv pipx bun node deno tsx ts-node python python3 py ruby php java " +
    "dotnet docker podman env sudo nice nohup sh bash zsh cmd powershell pwsh go cargo").split(" "),
);
const SUBCOMMANDS = new Set(["run", "exec", "dlx", "x", "tool", "start", "-jar"]);
const VALUE_FLAGS =
  /^(?:-e|--env|-v|--volume|--mount|--name|--network|--env-file|-w|-u|--user|--from)$/;
const COMMON = /^(?:index|main|server|mod|cli|app|run|start|dist|build|bin|src|lib|out|mcp|\.+|)$/;

/** What the command is about: the package of `npx -y @scope/server-foo`, the folder of `node foo/dist/index.js`. */
function nameOfCommand(command: string, args: readonly string[]): string {
  const own = stem(command);
  let target = command;
  if (own === "fusebox" && args[0] === "serve-demo" && args[1]) target = args[1];
  if (RUNNERS.has(own)) {
    for (let i = 0; i < args.length; i++) {
      const arg = args[i]!;
      if (VALUE_FLAGS.test(arg)) i++;
      if (/^-|^[A-Z_][A-Z0-9_]*=/.test(arg) || SUBCOMMANDS.has(arg) || RUNNERS.has(stem(arg))) {
        continue;
      }
      target = arg;
      break;
    }
  }
  const path = target.split(/\s/)[0]!.split(/[\\/]/).filter((part) => part !== "");
  const telling = path.map(stem).map(core).findLast((part) => !COMMON.test(part));
  return slug(telling ?? own) || "server";
}

/** A file name without its ending, a package or an image without its version. */
function stem(name: string): string {
  const base = name.split(/[\\/]/).at(-1)!.replace(/^(?:npm|jsr):/, "");
  return base.replace(/(?<=.)[@:][^@:]*$/, "")
    .replace(/\.(?:exe|cmd|bat|ps1|sh|[cm]?[jt]sx?|py|rb|php|jar|dll|go)$/i, "");
}

/** Without the words every server has in its name. */
function core(name: string): string {
  const words = name.toLowerCase().replace(/^@/, "").split(/[^a-z0-9]+/);
  return words.filter((word) => !/^(?:mcp|server|modelcontextprotocol|)$/.test(word)).join("-");
}
