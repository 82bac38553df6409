/** One configuration file: its tree to pieces of a Config, with everything that is wrong in it. @module */
import { parseToolPattern } from "../kit/pattern.ts";
import type { Issue } from "../kit/usage.ts";
import { isAlias, slug } from "./alias.ts";
import { type ApiSettings, type FusePolicy, type Limits, type Mode, MODES } from "./config.ts";
import { inputsNote, type LeftAside, leftAsideNotes, readForeign } from "./foreign.ts";
import { fusePolicy } from "./fuse.ts";
import { fileLimits } from "./limits.ts";
import { readServer, type ServerDraft } from "./server.ts";
import {
  complain,
  type Complaint,
  didYouMean,
  entriesOf,
  fieldsOf,
  type Place,
  textOf,
  textsOf,
} from "./shape.ts";
import { join, type Tree } from "./tree.ts";

/** An `alias.tool` pattern and where it stands. */
export interface PatternDraft {
  pattern: string;
  path: string;
  line?: number;
}

export interface FilePart {
  file: string;
  model?: string;
  mode?: Mode;
  /** In percent. */
  forwardAbove?: number;
  api?: ApiSettings;
  limits: Partial<Limits>;
  fuse: Partial<FusePolicy>;
  allow: PatternDraft[];
  deny: PatternDraft[];
  servers: ServerDraft[];
  notes: string[];
  issues: Issue[];
}

const KEYS = [
  "model",
  "mode",
  "forwardAbove",
  "api",
  "servers",
  "mcpServers",
  "allow",
  "deny",
  "limits",
  "fuse",
];

const HINTS = new Map([
  ["inputs", "That is VS Code's: write ${NAME} instead of ${input:…} and set that variable"],
  ["mcp", "Write the servers under servers"],
  ["context_servers", "Write them under servers"],
  ["<<", "Merge keys are not read here: an alias for a whole value (env: *shared) is"],
]);

const ALIAS_RULE = "small letters and digits, single - or _ between them, at most 20 characters";

export function checkFile(file: string, tree: Tree | undefined): FilePart {
  const part: FilePart = {
    file,
    limits: {},
    fuse: {},
    allow: [],
    deny: [],
    servers: [],
    notes: [],
    issues: [],
  };
  if (!tree) return part;
  const tell = (complaint: Complaint) => part.issues.push({ file, ...complaint });
  const top = entriesOf({ tree, path: "", tell }, "a mapping at the top of the file");

  const vscode = top.has("servers") && isVsCode(file, top);
  const foreign = vscode || (top.has("mcpServers") && !top.has("servers"));
  const ignored: string[] = [];
  for (const [key, entry] of tree.kind === "map" ? tree.entries : []) {
    if (KEYS.includes(key) || key === "$schema") continue;
    const place = { tree: entry, path: join("", key), tell };
    if (foreign) ignored.push(key);
    else complain(place, `Unknown key ${JSON.stringify(key)}`, HINTS.get(key) ?? near(key));
  }
  if (foreign) noteIgnored(part, ignored);

  readModel(part, top.get("model"), foreign);
  if (!foreign && top.has("mode")) readMode(part, top.get("mode")!);
  if (!foreign) readForwardAbove(part, top.get("forwardAbove"));
  if (!foreign && top.has("api")) part.api = apiSettings(top.get("api")!);
  part.limits = fileLimits(top.get("limits"));
  part.fuse = fusePolicy(top.get("fuse"));
  part.allow = patternsOf(top.get("allow"));
  part.deny = patternsOf(top.get("deny"));
  const ours = top.get("servers");
  const theirs = top.get("mcpServers");
  if (ours) (vscode ? readTheirs : readOurs)(part, ours);
  if (theirs) readTheirs(part, theirs);
  return part;
}

function near(key: string): string {
  return didYouMean(key, KEYS) ?? `The keys here are ${KEYS.join(", ")}`;
}

/** VS Code writes its servers under `servers` too; what gives it away is what stands beside them. */
function isVsCode(file: string, top: ReadonlyMap<string, Place>): boolean {
  return top.get("inputs")?.tree.kind === "list" || /(?:^|[\\/])mcp\.json$/.test(file);
}

function noteIgnored(part: FilePart, keys: string[]): void {
  const rest = keys.filter((key) => key !== "inputs");
  if (rest.length < keys.length) part.notes.push(inputsNote(part.file));
  if (rest.length === 0) return;
  const some = rest.slice(0, 5).map((key) => JSON.stringify(key)).join(", ");
  const more = rest.length > 5 ? ` and ${rest.length - 5} more` : "";
  part.notes.push(`${part.file}: not used: ${some}${more}`);
}

/** Other clients have a `model` too, and mean something else by it. */
function readModel(part: FilePart, place: Place | undefined, foreign: boolean): void {
  if (foreign && !(place?.tree.kind === "string" && /[/:]|^offline$/.test(place.tree.text))) {
    if (place) part.notes.push(`${part.file}: "model" is not used: it names no provider/model`);
    return;
  }
  const model = textOf(place)?.trim();
  if (model) part.model = model;
  else if (model === "") {
    complain(place!, "The model has no name", 'Write "provider/name" or "offline"');
  }
}

function readMode(part: FilePart, place: Place): void {
  const text = textOf(place);
  const mode = MODES.find((each) => each === text);
  if (mode) part.mode = mode;
  else if (text !== undefined) {
    complain(
      place,
      `There is no mode ${JSON.stringify(text)}`,
      `The modes are ${MODES.join(", ")}`,
    );
  }
}

function readForwardAbove(part: FilePart, place: Place | undefined): void {
  const text = textOf(place);
  if (!place || text === undefined) return;
  const percent = Number(/^(\d+(?:\.\d+)?)\s*%$/.exec(text)?.[1] ?? NaN);
  if (percent <= 100) part.forwardAbove = percent;
  else {complain(
      place,
      `Expected a share, got ${JSON.stringify(text)}`,
      "Write one from 0% to 100%",
    );}
}

const API_KEYS = ["baseUrl", "keyEnv", "version"] as const;
const API_HINTS = new Map([
  ["key", "A key does not belong into a file: keyEnv names the variable that holds it"],
]);

function apiSettings(place: Place): ApiSettings {
  const settings: ApiSettings = {};
  for (const [key, value] of fieldsOf(place, API_KEYS, API_HINTS)) {
    const text = textOf(value)?.trim();
    if (text) settings[key as typeof API_KEYS[number]] = text;
  }
  return settings;
}

function patternsOf(place: Place | undefined): PatternDraft[] {
  const drafts: PatternDraft[] = [];
  textsOf(place)?.forEach((pattern, i) => {
    const tree = place!.tree.kind === "list" ? place!.tree.items[i]! : place!.tree;
    const own = { tree, path: join(place!.path, i), tell: place!.tell };
    if (!parseToolPattern(pattern)) {
      complain(
        own,
        `Cannot read the pattern ${JSON.stringify(pattern)}`,
        'Write "alias.tool", "alias.*" or "alias"; * stands for any run of characters',
      );
      return;
    }
    drafts.push({
      pattern,
      path: own.path,
      ...(tree.line === undefined ? {} : { line: tree.line }),
    });
  });
  return drafts;
}

const OF_SERVERS = "a mapping of names to servers";

function readOurs(part: FilePart, place: Place): void {
  for (const [key, entry] of serversOf(place)) {
    if (isAlias(key)) {
      part.servers.push(readServer({ alias: key, written: key, file: part.file }, entry));
      continue;
    }
    const better = slug(key);
    complain(
      entry,
      `Cannot call a server ${JSON.stringify(key)}`,
      `${better ? `Call it "${better}": ` : "Use "}${ALIAS_RULE}`,
    );
    readServer({ alias: better, written: key, file: part.file }, entry);
  }
}

function readTheirs(part: FilePart, place: Place): void {
  const left: LeftAside = new Map();
  for (const [key, entry] of serversOf(place)) {
    const alias = isAlias(key) ? key : slug(key);
    if (!alias) {
      complain(entry, `Cannot make an alias of ${JSON.stringify(key)}`, `Use ${ALIAS_RULE}`);
      continue;
    }
    if (alias !== key) {
      part.notes.push(`${part.file}: ${JSON.stringify(key)} is called ${alias} here`);
    }
    part.servers.push(readForeign({ alias, written: key, file: part.file }, entry, left));
  }
  part.notes.push(...leftAsideNotes(part.file, left));
}

/** Every entry, also one with nothing in it: `notes:` alone is a server without a command. */
function serversOf({ tree, path, tell }: Place): Map<string, Place> {
  if (tree.kind !== "map") return entriesOf({ tree, path, tell }, OF_SERVERS);
  return new Map(
    [...tree.entries].map(([key, entry]) => {
      const filled: Tree = entry.kind === "null"
        ? { ...entry, kind: "map", entries: new Map() }
        : entry;
      return [key, { tree: filled, path: join(path, key), tell }];
    }),
  );
}
