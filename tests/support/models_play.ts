/** Plays scenes: whole runs of fusebox against aimock, for every format, streamed and in one piece. @module */
import assert from "node:assert/strict";
import { demo, type Result, type Sandbox, sandbox } from "./cli.ts";
import { type Aimock, aimock, type Fixture, KEY } from "./models_aimock.ts";
import { type Body, type Format, FORMATS } from "./models_formats.ts";
import { ownProblems } from "./models_rules.ts";
import type { Sent } from "./models_tap.ts";

/** One format, one way to answer, in one scene. */
export interface Cell {
  format: Format;
  stream: boolean;
  /** Of this cell alone, so that aimock knows whom it plays. */
  model: string;
}

/** What aimock answers, and when. */
export interface Line extends Omit<Fixture, "match"> {
  /** How many turns the model has had at the least; the line with the most is said. Default 0. */
  turn?: number;
  /** How often this turn was asked for before. Default: always the same. */
  nth?: number;
  /** What the last result must hold. */
  told?: string;
}

export interface Scene {
  title: string;
  lines(cell: Cell): readonly Line[];
  prompt?: string;
  /** Default: `--json`. */
  args?: readonly string[];
  /** Files of the home that `args` name. */
  files?: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;
  /** Default: the one that aimock takes. */
  key?: string;
  /** Servers beside the two built-in ones, all of them allowed. */
  servers?(box: Sandbox): Promise<Record<string, object>>;
  /** Cells that are no case of it. */
  isCase?(cell: Cell): boolean;
  /** The exit code. Default 0. */
  code?: number;
  /** How many requests it takes. */
  asked: number | ((cell: Cell) => number);
  check?(seen: Seen): void;
}

/** What came of one cell. */
export interface Seen extends Cell {
  result: Result;
  /** Undefined where it was not asked for, or none was printed. */
  report: Body;
  /** Requests that were sent, in order. */
  sent: Sent[];
  /** How many of them aimock says to have had. */
  journalled: number;
}

const MODES = [true, false];

export function cellsOf({ title, isCase = () => true }: Scene): Cell[] {
  const slug = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return FORMATS.flatMap((format) =>
    MODES.map((stream): Cell => ({
      format,
      stream,
      model: `${format.model}-${slug}-${stream ? "sse" : "json"}`,
    }))
  ).filter(isCase);
}

export function nameOf({ format, stream }: Cell): string {
  return `${format.provider}, ${stream ? "streamed" : "in one piece"}`;
}

const played = new Map<Scene, Promise<Seen[]>>();

/** Plays each scene once, whoever asks; all its cells at once, for they wait more than they work. */
export function play(scene: Scene): Promise<Seen[]> {
  let made = played.get(scene);
  if (!made) played.set(scene, made = perform(scene));
  return made;
}

async function perform(scene: Scene): Promise<Seen[]> {
  const cells = cellsOf(scene);
  await using mock = await aimock(cells.flatMap((cell) => fixturesOf(scene, cell)));
  const runs = await Promise.all(cells.map((cell) => run(scene, cell, mock)));
  const journalled = await mock.journalled();
  return cells.map((cell, at): Seen => ({
    ...cell,
    result: runs[at]!,
    report: runs[at]!.stdout.startsWith("{") ? JSON.parse(runs[at]!.stdout) : undefined,
    sent: mock.to(cell.format, cell.model),
    journalled: journalled.get(cell.model) ?? 0,
  }));
}

function fixturesOf(scene: Scene, cell: Cell): Fixture[] {
  return scene.lines(cell).map(({ turn = 0, nth, told, ...rest }) => ({
    ...rest,
    match: {
      model: cell.model,
      turnIndex: turn,
      ...(nth !== undefined && { sequenceIndex: nth }),
      ...(told !== undefined && { toolResultContains: told }),
    },
  }));
}

const BUILT_IN = { notes: demo("notes"), tickets: demo("tickets") };

async function run(scene: Scene, cell: Cell, mock: Aimock): Promise<Result> {
  await using box = await sandbox();
  const { format, stream, model } = cell;
  const { prompt = "Go on.", args = ["--json"], files = {}, key = KEY } = scene;
  for (const [name, content] of Object.entries(files)) {
    if (typeof content === "string") await box.file(name, content);
    else await Deno.writeFile(`${box.home}/${name}`, content);
  }
  const more = await scene.servers?.(box);
  const flags = ["-m", `${format.provider}/${model}`, ...stream ? [] : ["--no-stream"]];
  return await box.fusebox([prompt, ...flags, ...args], {
    env: format.env(mock.url, key),
    ...(more && {
      config: { servers: { ...BUILT_IN, ...more }, allow: Object.keys(more) },
    }),
    patienceMs: 60_000,
  });
}

/** What holds in every scene. */
export function checkAlways(scene: Scene, seen: Seen): void {
  const { format, stream, model, result, report, sent, journalled } = seen;
  const { code = 0, asked, key = KEY } = scene;
  const told = `${result.stdout}\n${result.stderr}`;
  assert.equal(result.code, code, told);
  assert.equal(sent.length, typeof asked === "number" ? asked : asked(seen), told);
  assert.equal(journalled, key === KEY ? sent.length : 0, "aimock was asked otherwise");
  assert(!result.stderr.includes("This is a bug"), told);
  for (const { headers, path, query, body, text } of sent) {
    assert.equal(path, format.path(model, stream));
    assert.equal(query, format.provider === "gemini" && stream ? "?alt=sse" : "");
    assert.equal(body.stream, format.provider === "gemini" || !stream ? undefined : true);
    const [name, value] = format.auth(key);
    assert.equal(headers.get(name), value);
    assert.equal(headers.get("content-type"), "application/json");
    assert(!text.includes(key), "the key is in the body");
    assert.deepEqual(ownProblems(format.schema, body), []);
    // A prefix that moves is paid for again.
    assert.equal(format.system(body), format.system(sent[0]!.body));
    assert.deepEqual(body.tools, sent[0]!.body.tools);
  }
  assert(!told.includes(key), "the key was printed");
  if (!report) return;
  assert.equal(report.model, `${format.provider}/${model}`);
  assert.deepEqual(report.offline, []);
}
