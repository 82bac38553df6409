/** The status page of a run: what it is shown, where it listens, and that it is never in the way. @module */
import type { AskEvent } from "../agent/terms.ts";
import type { Clock } from "../kit/clock.ts";
import { UsageError } from "../kit/usage.ts";
import { type StatusApp, statusApp } from "../status/app.ts";
import { isLoopback } from "../status/guard.ts";
import { Ledger } from "../status/ledger.ts";
import type { Facts, StatusView } from "../status/view.ts";
import type { Args } from "./args.ts";
import type { Household, Watchers } from "./household.ts";
import { CannotListen, type Listener } from "./listener.ts";
import type { Screen } from "./screen.ts";
import { DEFAULT_PORT } from "./status_flags.ts";
import type { World } from "./world.ts";

const HOST = "127.0.0.1";
const TOKEN = "FUSEBOX_STATUS_TOKEN";
const TOKEN_LEAST = 16;
/** A name or an address, and no port behind it. */
const HOSTS = /^(?:[\w.-]+|\[[\da-f:.]+\]|[\da-f]*:[\da-f.]*:[\da-f:.]*)$/i;

export interface Settings {
  host: string;
  port: number;
  /** What must be known to see anything. Of the environment, for a command line shows in `ps`. */
  token?: string;
}

/** @throws {UsageError} for an address that others reach where no token keeps them out */
export function statusSettings(
  { statusPort = DEFAULT_PORT, statusHost = HOST }: Pick<Args, "statusPort" | "statusHost">,
  env: World["env"],
): Settings {
  const token = env[TOKEN] || undefined;
  if (!HOSTS.test(statusHost)) {
    throw new UsageError(`Cannot read --status-host ${statusHost}: not a host`, {
      hint: "A name or an address alone; the port is that of --status=PORT",
    });
  }
  if (token !== undefined && !(token.length >= TOKEN_LEAST && /^[\x21-\x7e]+$/.test(token))) {
    throw new UsageError(
      `Cannot use $${TOKEN}: it has to be ${TOKEN_LEAST} or more letters, digits and signs`,
      { hint: `export ${TOKEN}=$(openssl rand -hex 16)` },
    );
  }
  if (token === undefined && !isLoopback(statusHost)) {
    throw new UsageError(
      `Cannot show the status page on ${statusHost}: others would see it, and there is no token`,
      { hint: `export ${TOKEN}=$(openssl rand -hex 16), and the page asks for it` },
    );
  }
  return { host: statusHost, port: statusPort, ...(token !== undefined && { token }) };
}

/** Whatever goes wrong in it is a line, and the run goes on. */
export class Panel implements AsyncDisposable {
  /** To be told of all that happens to servers. */
  readonly watchers: Watchers;
  mode: Facts["mode"] = "full";
  readonly #settings: Settings;
  readonly #world: World;
  readonly #screen: Screen;
  readonly #ledger = new Ledger();
  readonly #startedAt: number;
  #app: StatusApp | undefined;
  #listener: Listener | undefined;
  #isBroken = false;
  #wasInterrupted = false;

  constructor(settings: Settings, world: World, screen: Screen) {
    this.#settings = settings;
    this.#world = world;
    this.#screen = screen;
    this.#startedAt = world.clock.now();
    if (settings.token !== undefined) world.secrets.add([settings.token]);
    this.watchers = {
      onChange: (status) => this.#safely(() => this.#ledger.changed(status, world.clock.now())),
      onCall: (event) => this.#safely(() => this.#ledger.called(event)),
    };
  }

  /**
   * From now on whoever asks is shown this house.
   * @returns where
   * @throws {UsageError} when the address can't be had
   */
  show(house: Household, about: { mode: Facts["mode"]; model?: string }): string {
    this.mode = about.mode;
    const app = this.#app = statusApp({
      view: this.#viewOf(house, about.model),
      ledger: this.#ledger,
      clock: this.#safeClock(),
      onBug: (error) => this.#note(error),
      ...this.#settings,
    });
    const { host, port } = this.#settings;
    try {
      this.#listener = this.#world.listen(
        { host, port },
        (request) => answer(app, request),
        (why) => this.#interrupted(why),
      );
    } catch (error) {
      if (!(error instanceof CannotListen)) throw error;
      throw new UsageError(
        `Cannot show the status page on ${inUrl(host)}:${port}: ${error.message}`,
        {
          hint: error.isTaken
            ? "--status=0 takes a port that is free"
            : "--status-host names another",
        },
      );
    }
    return `http://${reachable(host)}:${this.#listener.port}`;
  }

  /** {@linkcode show} for a run that goes on without: a line says where it is, or why it is not. */
  open(house: Household, about: { mode: Facts["mode"]; model?: string }): void {
    try {
      const url = this.show(house, about);
      const line = `Status page: ${url}`;
      // Of a port that we chose, nobody would know.
      if (this.#settings.port === 0) this.#screen.warn(line);
      else this.#screen.say(line, "dim");
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.#screen.warn(`${error.message} (${error.hint}); the run goes on without`);
    }
  }

  /** Of the loop: how much was asked of the model. */
  take(event: AskEvent): void {
    this.#safely(() => {
      if (event.type === "step") this.#ledger.asked(event.prefix.digest);
      else if (event.type === "turn" && event.usage) this.#ledger.spent(event.usage);
    });
  }

  /** A check whether a server is there. */
  checked(alias: string, ms: number, answered: boolean): void {
    this.#safely(() => this.#ledger.checked(alias, ms, answered));
  }

  /** How the run ended; `failed`, or `left`, where nobody says so. */
  end(ending: string): void {
    this.#ledger.ending = ending;
  }

  #viewOf({ registry, config }: Household, model: string | undefined): StatusView {
    const origins = new Map(config.servers.map(({ alias, reach }) => [
      alias,
      reach.kind === "http" ? URL.parse(reach.url)?.origin : undefined,
    ]));
    const { clock, secrets, version } = this.#world;
    const id = `${this.#startedAt.toString(36)}-${this.#world.random().toString(36).slice(2)}`;
    return {
      now: () => clock.now(),
      servers: () => registry.servers(),
      table: () => registry.table,
      heldBack: () => registry.heldBack(),
      origin: (alias) => origins.get(alias),
      facts: () => ({
        id,
        version,
        startedAt: this.#startedAt,
        mode: this.mode,
        ...(model !== undefined && { model }),
      }),
      redact: (text) => secrets.hide(text),
    };
  }

  /** An error in a timer would be the end of the program. */
  #safeClock(): Clock {
    const { clock } = this.#world;
    return {
      now: () => clock.now(),
      elapsed: () => clock.elapsed(),
      after: (ms, wake) => clock.after(ms, () => this.#safely(wake)),
    };
  }

  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#note(error);
    }
  }

  /** Once: what is broken is so a thousand times. */
  #note(error: unknown): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#screen.warn(`The status page is broken: ${error}; the run goes on`);
  }

  /** Once as well: who wants to have it down may go on for hours. */
  #interrupted(why: string): void {
    if (this.#wasInterrupted) return;
    this.#wasInterrupted = true;
    this.#screen.warn(
      `The status page let everybody go: ${why}; it opens again, and the run goes on`,
    );
  }

  /** Those who watch are told how it stands, and that this is the end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ledger.ending ??= this.#world.signal.aborted ? "left" : "failed";
    this.#safely(() => this.#app?.end());
    await this.#listener?.close();
  }
}

async function answer(app: StatusApp, request: Request): Promise<Response> {
  try {
    return await app.fetch(request);
  } catch {
    return new Response(null, { status: 500 });
  }
}

function inUrl(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** All addresses are none to go to. */
function reachable(host: string): string {
  const own = inUrl(host);
  return own === "0.0.0.0" || own === "[::]" ? HOST : own;
}
