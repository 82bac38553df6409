/** What people see on stderr while something runs: one writer, colours only where they work. @module */
import { printable, printableLine } from "../kit/printable.ts";
import type { ReasonCode } from "../protocol/errors.ts";
import type { Reason, ServerStatus } from "../registry/status.ts";
import type { Args } from "./args.ts";
import { Spinner } from "./spinner.ts";
import type { World } from "./world.ts";

const CODES = { dim: 2, red: 31, green: 32, yellow: 33, cyan: 36, bold: 1 } as const;
export type Colour = keyof typeof CODES;

/** Characters of servers' chatter that may be on their way out, and lines while a person is asked. */
export const UNREAD_MAX = 1_000_000;
export const HELD_MAX = 10_000;
/** Lines of one kind. */
export const LISTED_MAX = 200;

export class Screen {
  readonly verbose: boolean;
  readonly #world: World;
  readonly #quiet: boolean;
  readonly #colours: boolean;
  /** Only where the cursor can be moved. */
  readonly #spinner: Spinner | undefined;
  /** What was said while a line that is not ours was not at its end. */
  #held: string[] | undefined;
  /** Characters of servers' chatter that are on their way out. */
  #unread = 0;
  #leftOut = 0;

  constructor(args: Args, world: World) {
    this.verbose = args.verbose;
    this.#world = world;
    this.#quiet = args.quiet;
    this.#colours = coloured(world, world.err.isTerminal);
    const steers = world.err.isTerminal && world.env.TERM !== "dumb";
    if (steers && !args.quiet) this.#spinner = new Spinner(world.clock, world.err);
  }

  /** A line, unless `--quiet`. Whatever a stranger put into it, it steers no terminal. */
  say(line: string, colour?: Colour): void {
    this.#world.trace?.note(line);
    if (!this.#quiet) this.#write(line, colour);
  }

  /** These, and how many they are where they are too many to be read. */
  sayAll(lines: readonly string[], colour?: Colour): void {
    for (const line of lines.slice(0, LISTED_MAX)) this.say(line, colour);
    const more = lines.length - LISTED_MAX;
    if (more > 0) this.say(`(${more} more lines like these are left out)`, "dim");
  }

  /** A line that only `--verbose` shows. */
  detail(line: string): void {
    this.#world.trace?.note(line);
    if (this.verbose) this.#write(line, "dim");
  }

  /** A line that even `--quiet` does not keep back. */
  warn(line: string): void {
    this.#world.trace?.note(line);
    this.#write(`fusebox: ${line}`);
  }

  /** Resolves once all that was said so far is out. */
  async flush(): Promise<void> {
    this.rest();
    await this.#world.err.write("");
  }

  /** While a person is asked, nothing is said over the question: it waits until they have answered. */
  async aside<T>(ask: () => Promise<T>): Promise<T> {
    this.hold();
    try {
      await this.#world.err.write("");
      return await ask();
    } finally {
      this.release();
    }
  }

  /** Lines wait until {@linkcode release}: the cursor stands behind something that is not ours. */
  hold(): void {
    this.#spinner?.pause();
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#world.err.write(text);
    this.#spinner?.resume();
  }

  /** A line of a server's own, with its name before it. */
  stderr(alias: string, line: string): void {
    if (this.verbose) this.#chatter(`[${alias}] ${printableLine(line, 1000)}`);
  }

  /** The same for what a server prints beside its messages. */
  noise(alias: string, line: string): void {
    if (this.verbose) {
      this.#chatter(`[${alias}] stdout: ${printableLine(line.slice(0, 2000), 300)}`);
    }
  }

  /** What a server says of a call under way. */
  progress(line: string): void {
    if (this.verbose) this.#chatter(line);
  }

  /** A flood that nobody reads is left out, and counted: it would fill the memory. */
  async #chatter(line: string): Promise<void> {
    if (this.#unread > UNREAD_MAX || (this.#held?.length ?? 0) > HELD_MAX) {
      this.#leftOut++;
      return;
    }
    this.#unread += line.length;
    await this.#write(line, "dim");
    this.#unread -= line.length;
    if (this.#leftOut === 0 || this.#unread > 0) return;
    this.detail(
      `(${this.#leftOut} lines of servers are left out: they came faster than they were read)`,
    );
    this.#leftOut = 0;
  }

  /** Says on a terminal what is waited for, until {@linkcode rest}; lines come and go above it. */
  spin(text: string | (() => string)): void {
    this.#spinner?.begin(typeof text === "string" ? () => text : text);
    if (this.#held) this.#spinner?.pause();
  }

  rest(): void {
    this.#spinner?.end();
  }

  /** {@linkcode spin} as long as this takes. */
  async during<T>(text: string | (() => string), wait: Promise<T>): Promise<T> {
    this.spin(text);
    try {
      return await wait;
    } finally {
      this.rest();
    }
  }

  async #write(line: string, colour?: Colour): Promise<void> {
    const safe = printable(line).trimEnd();
    const text = paint(safe, this.#colours ? colour : undefined) + "\n";
    if (this.#held) return void this.#held.push(text);
    this.#spinner?.pause();
    const written = this.#world.err.write(text);
    this.#spinner?.resume();
    await written;
  }
}

/** @see https://no-color.org */
export function coloured(world: World, isTerminal: boolean): boolean {
  return isTerminal && !world.env.NO_COLOR && world.env.TERM !== "dumb";
}

export function paint(text: string, colour: Colour | undefined): string {
  return colour ? `\x1b[${CODES[colour]}m${text}\x1b[0m` : text;
}

/** A server's state in one line for people. */
export function stateLine(status: ServerStatus): string {
  const { alias, state, tools, dialect, attachMs } = status;
  if (state === "offline" && status.reason) return reasonLine(status.reason);
  if (state !== "online") return `${alias}: ${state}`;
  const held = status.heldBack.length > 0 ? `, ${status.heldBack.length} held back` : "";
  return `${alias}: online, ${count(tools.length, "tool")}${held}, ${
    dialect!.version
  }, ${attachMs} ms`;
}

/** What a server said before it ended, or while it was waited for, may be why: a login, a download. */
const TELLING: readonly ReasonCode[] = ["exited", "closed", "handshake_timeout", "list_timeout"];

/** Why it is offline, with the last thing it said where that may be the reason. */
export function reasonLine({ message, tail, code }: Reason): string {
  const last = tail.at(-1);
  const shown = last !== undefined && TELLING.includes(code)
    ? `; it last said: ${printableLine(last, 200)}`
    : "";
  return printableLine(message, 500) + shown;
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** Rows as columns, two blanks between; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => widths[i] = Math.max(widths[i] ?? 0, cell.length));
  }
  const line = (row: readonly string[]) =>
    row.map((cell, i) => i === row.length - 1 ? cell : cell.padEnd(widths[i]!)).join("  ")
      .trimEnd();
  return rows.map((row) => line(row) + "\n").join("");
}

/** A stranger's text for stdout: as it is into a pipe, safe on a terminal. */
export function forOut(world: World, text: string): string {
  return world.out.isTerminal ? printable(text) : text;
}
