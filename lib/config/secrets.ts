/** Which texts of a configuration are secrets, wherever in it they stand. @module */
import type { Secret } from "../kit/secrets.ts";
import { withCommas } from "../kit/size.ts";
import { UsageError } from "../kit/usage.ts";
import type { Reach, ServerConfig } from "./config.ts";
import { interpolate, type Lookup, MissingVariable } from "./interpolate.ts";
import { isKnownBySight, isLong, looksRandom, namesSecret } from "./secret_signs.ts";

/** More are in no file that a person has written; each is looked for in all that is printed. */
const MOST_SECRETS = 300;
/** `name: value` and `name=value` of any notation. */
const WRITTEN =
  /(?<![\w.-])(--?[\w-]+|[A-Za-z_][\w.-]*)["']?[ \t]{0,20}[:=][ \t]{0,20}[*&!]?["']?(?!(?:bearer|basic)\b)([^\s"',}\]]+)/gi;
const BORNE = /\bBearer\s+([^\s"'`]+)/gi;
/** `Password=…;` of a connection string. */
const ASSIGNED = /(?:^|[;&\s])([\w-]+) ?= ?("[^"]*"|'[^']*'|[^;&\s"'$()]+)/g;
/** How a server is reached, as far as secrets may be in it. */
export type Reached =
  | {
    kind: "stdio";
    command?: string;
    args: readonly string[];
    env: Readonly<Record<string, string>>;
  }
  | { kind: "http"; url: string; headers: Readonly<Record<string, string>> };

/** The values in a resolved reach that are secrets. */
export function secretsOf(reach: Reached): readonly Secret[] {
  const found = new Search();
  found.lookInReach(reach);
  return found.secrets;
}

/**
 * All secrets of these servers: in what their reaches resolve to, in the variables that went into
 * them, and in what a server inherits. A variable that is not set is none.
 * @throws {UsageError} where they are more than can be looked for
 */
export function configuredSecrets(
  servers: readonly Pick<ServerConfig, "reach">[],
  env: Readonly<Record<string, string>>,
): readonly Secret[] {
  const found = new Search();
  for (const { reach } of servers) {
    const used = new Set<string>();
    const lookup: Lookup = (name) => {
      used.add(name);
      return env[name] ?? "";
    };
    found.lookInReach(filled(reach, lookup));
    const seen = inherits(reach) ? Object.keys(env) : [...used, ...PROXIES];
    for (const name of seen) found.look(name, env[name] ?? "");
  }
  const { secrets } = found;
  if (secrets.length > MOST_SECRETS) {
    const many = withCommas(secrets.length);
    throw new UsageError(`Cannot use the configuration: ${many} of its values look like secrets`, {
      hint: `No more than ${withCommas(MOST_SECRETS)} are kept out of all that is printed`,
    });
  }
  return secrets;
}

/**
 * Those of a file that can't be read as what it should be, as far as a look at its lines tells: what is
 * said to be wrong with it may quote some.
 */
export function secretsIn(text: string): readonly Secret[] {
  const found = new Search();
  found.lookInText(text);
  return found.secrets.slice(0, MOST_SECRETS);
}

/** What can't be resolved will not be started: then as it is written. */
function filled(reach: Reach, lookup: Lookup): Reach {
  try {
    return interpolate(reach, lookup);
  } catch (error) {
    if (error instanceof MissingVariable) return reach;
    throw error;
  }
}

/** Every server is told of these, and they may hold a password. */
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((it) => [it, it.toLowerCase()]);

function inherits(reach: Reach): boolean {
  return reach.kind === "stdio" && reach.inheritEnv;
}

class Search {
  readonly #found = new Map<string, Secret>();

  get secrets(): readonly Secret[] {
    return [...this.#found.values()];
  }

  lookInReach(reach: Reached): void {
    if (reach.kind === "http") {
      this.lookInside(reach.url);
      for (const [name, value] of Object.entries(reach.headers)) this.lookInHeader(name, value);
      return;
    }
    for (const [name, value] of Object.entries(reach.env)) this.look(name, value);
    reach.args.forEach((arg, at) => this.lookInArgument(arg, reach.args[at - 1]));
    for (const text of [reach.command ?? "", ...reach.args]) {
      if (/\s/.test(text)) this.lookInText(text); // A script, or a whole command line.
    }
  }

  /** Of any notation. */
  lookInText(text: string): void {
    for (const [, name, value] of text.matchAll(WRITTEN)) this.look(name!, value!);
    for (const [, value] of text.matchAll(BORNE)) this.#add(value!, "Bearer");
    const words = text.match(/[^\s"'`,;<>[\]{}]+/g) ?? [];
    words.forEach((word, at) => this.lookInArgument(word, words[at - 1]));
  }

  /** A value that has a name. */
  look(name: string, value: string): void {
    const isNamed = namesSecret(name);
    const isAddress = value.includes("://") && URL.canParse(value);
    if (!isAddress && (isNamed || looksRandom(value))) this.#add(value, isNamed ? name : "");
    this.lookInside(value);
  }

  lookInHeader(name: string, value: string): void {
    this.look(name, value);
    const [, scheme, rest] = /^(\w+)\s+(.+)$/s.exec(value) ?? [];
    if (rest === undefined) return;
    this.look(name, rest);
    if (scheme!.toLowerCase() === "basic") this.#add(passwordIn(rest));
  }

  /** `--name=value`, `NAME=value`, `Name: value`, or what follows `--name`. */
  lookInArgument(arg: string, before = ""): void {
    const [, name, value] = /^-{0,2}([A-Za-z_][\w.-]*)=(.*)$/s.exec(arg) ?? [];
    const [, header, said] = /^([A-Za-z][\w-]+):\s*(?!\/\/)(.+)$/s.exec(arg) ?? [];
    if (name !== undefined) this.look(name, value!);
    else if (header !== undefined) this.lookInHeader(header, said!);
    else this.look(/^--?[\w-]+$/.exec(before)?.[0] ?? "", arg);
  }

  /** Whatever its name: passwords in addresses, connection strings and JSON. */
  lookInside(value: string): void {
    if (value.includes("://") && URL.canParse(value)) this.#lookInAddress(new URL(value));
    else if (/^\s*\{/.test(value)) this.#lookInJson(value);
    else for (const [, name, each] of value.matchAll(ASSIGNED)) this.#lookAt(name!, each!);
  }

  #lookInAddress({ username, password, pathname, searchParams }: URL): void {
    for (const each of [password, decoded(password)]) {
      if (isKnownBySight(each)) this.#add(each);
      else if (each !== "") this.#found.set(`${username}:${each}@`, `${username}:${each}@`);
    }
    for (const part of [username, ...pathname.split("/")]) {
      if (looksRandom(decoded(part))) this.#add(decoded(part));
    }
    for (const [name, each] of searchParams) this.#lookAt(name, each);
  }

  #lookInJson(text: string): void {
    try {
      JSON.parse(text, (name, value) => {
        if (typeof value === "string") this.#lookAt(name, value);
        return value;
      });
    } catch {
      // Then it only begins like it.
    }
  }

  /** A value within another. */
  #lookAt(name: string, value: string): void {
    const bare = value.replace(/^(["'])(.*)\1$/s, "$2");
    const isNamed = namesSecret(name);
    if (isNamed || looksRandom(bare)) this.#add(bare, isNamed ? name : "");
  }

  /** Where it may be any word, what stands behind its name is hidden. */
  #add(value: string, name = ""): void {
    if (!isLong(value)) {
      if (value.includes("${")) return; // Not set: then it is nobody's.
      if (isKnownBySight(value)) this.#found.set(value, { text: value });
      else if (value !== "" && name !== "") {
        this.#found.set(`${name}=${value}`, { text: value, name });
      }
      return;
    }
    this.#found.set(value, value);
    // A server prints a key of many lines line by line.
    if (!value.includes("\n")) return;
    for (const line of value.split("\n").map((it) => it.trim())) {
      if (line.length >= 20 && !line.startsWith("-----")) this.#found.set(line, line);
    }
  }
}

/** Of `user:password` in base64; empty when it is none. */
function passwordIn(basic: string): string {
  try {
    return atob(basic).replace(/^[^:]*:?/s, "");
  } catch {
    return "";
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
