/** Which texts of a configuration are secrets: by the name they have, or by their look. @module */
import type { Reach, ServerConfig } from "./config.ts";
import { interpolate, type Lookup, MissingVariable } from "./interpolate.ts";

const NAMES_A_SECRET =
  /key|token|secret|passw|passphrase|passcode|pwd|auth|credential|private|session|cookie|signature|bearer|jwt|webhook|(?:^|[_-])pat(?:$|[_-])/i;
/** What such a name says something about, and is not. */
const NAMES_A_CIRCUMSTANCE =
  /(?:path|file|dir|folder|sock|home|url|uri|endpoint|host|name|user|type|method|mode|version|algorithm|scope|region|provider|header|prefix|limit|count|size|ttl|timeout|expiry|enabled|required)s?$/i;
/** Letters and digits without a break: nobody wrote that by hand. */
const LOOKS_RANDOM = /^(?=.*\d)(?=.*[A-Za-z])[\w+/=.~-]{20,}$/;
const IS_PATH = /^(?:[./~]|[A-Za-z]:\\)/;
/** `Password=…;` of a connection string. */
const ASSIGNED = /(?:^|[;&\s])([\w-]+) ?= ?("[^"]*"|'[^']*'|[^;&\s"'$()]+)/g;
/** Shorter ones would be found in half of all words. */
const SHORTEST = 8;
/** Who has one of these for a password has none, and hiding the word would make every text unreadable. */
const COMMON = new Set(
  ("anonymous automatic certificate changeme default1 development disabled enabled123 interactive " +
    "keychain localhost optional password password1 passwordless postgres preferred production " +
    "required undefined username").split(" "),
);

/** How a server is reached, as far as secrets may be in it. */
export type Reached =
  | {
    kind: "stdio";
    args: readonly string[];
    env: Readonly<Record<string, string>>;
  }
  | { kind: "http"; url: string; headers: Readonly<Record<string, string>> };

/** The values in a resolved reach that are secrets. */
export function secretsOf(reach: Reached): readonly string[] {
  const found = new Search();
  if (reach.kind === "stdio") {
    for (const [name, value] of Object.entries(reach.env)) found.look(name, value);
    reach.args.forEach((arg, at) => found.lookInArgument(arg, reach.args[at - 1]));
  } else {
    found.lookInside(reach.url);
    for (const [name, value] of Object.entries(reach.headers)) found.lookInHeader(name, value);
  }
  return [...found.values];
}

/**
 * All secrets of these servers: in what their reaches resolve to, in the variables that went into
 * them, and in what a server inherits. A variable that is not set is none.
 */
export function configuredSecrets(
  servers: readonly Pick<ServerConfig, "reach">[],
  env: Readonly<Record<string, string>>,
): readonly string[] {
  const found = new Search();
  for (const { reach } of servers) {
    const used = new Set<string>();
    const lookup: Lookup = (name) => {
      used.add(name);
      return env[name] ?? "";
    };
    for (const value of secretsOf(filled(reach, lookup))) found.values.add(value);
    const seen = inherits(reach) ? Object.keys(env) : [...used, ...PROXIES];
    for (const name of seen) found.look(name, env[name] ?? "");
  }
  return [...found.values];
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
  readonly values = new Set<string>();

  /** A value that has a name. */
  look(name: string, value: string): void {
    const isNamed = NAMES_A_SECRET.test(name) && !NAMES_A_CIRCUMSTANCE.test(name);
    const isAddress = value.includes("://") && URL.canParse(value);
    if (!isAddress && (isNamed || looksRandom(value))) this.#add(value);
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
    this.#add(password);
    this.#add(decoded(password));
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
    const isNamed = NAMES_A_SECRET.test(name) && !NAMES_A_CIRCUMSTANCE.test(name);
    if (isNamed || looksRandom(bare)) this.#add(bare);
  }

  #add(value: string): void {
    if (value.length < SHORTEST || COMMON.has(value.toLowerCase())) return;
    this.values.add(value);
    // A server prints a key of many lines line by line.
    if (!value.includes("\n")) return;
    for (const line of value.split("\n").map((it) => it.trim())) {
      if (line.length >= 20 && !line.startsWith("-----")) this.values.add(line);
    }
  }
}

function looksRandom(value: string): boolean {
  return !IS_PATH.test(value) && LOOKS_RANDOM.test(value);
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
