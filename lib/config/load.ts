/** Configuration files to one Config, or to everything that is wrong with them at once. @module */
import { matches, parseToolPattern } from "../kit/pattern.ts";
import { type Issue, UsageError } from "../kit/usage.ts";
import { checkFile, type FilePart } from "./check.ts";
import {
  type Config,
  DEFAULT_FUSE,
  DEFAULT_LIMITS,
  type FusePolicy,
  type Limits,
  type ServerConfig,
} from "./config.ts";
import { idleBeyondCap } from "./limits.ts";
import { readTree, type SourceFile, type YamlReader } from "./read.ts";
import type { ServerDraft } from "./server.ts";
import { didYouMean } from "./shape.ts";

/**
 * Merges the files in the order given: lists add up, of `model` and each limit the last one counts,
 * and an alias may be given once. A server that cannot be reached has a `problem` and stays.
 *
 * @throws UsageError with all issues of all files.
 */
export function loadConfig(files: readonly SourceFile[], parseYaml: YamlReader): Config {
  const issues: Issue[] = [];
  const parts: FilePart[] = [];
  const unique = new Map(files.map((file) => [file.path, file]));
  for (const file of unique.values()) {
    const reading = readTree(file, parseYaml);
    const part = checkFile(file.path, reading.tree);
    issues.push(...reading.issues, ...part.issues);
    parts.push(part);
  }

  const notes = parts.flatMap((part) => part.notes);
  const drafts = distinct(parts, issues);
  const limits: Limits = Object.assign({}, DEFAULT_LIMITS, ...parts.map((part) => part.limits));
  const fuse: FusePolicy = Object.assign({}, DEFAULT_FUSE, ...parts.map((part) => part.fuse));
  checkPatterns(parts, drafts, issues, notes);
  if (issues.length > 0) throw refusal(issues);

  noteUnfelt("limits", limits, notes);
  const servers = [...drafts.values()].map((draft) => finish(draft, limits, fuse, notes));
  const model = parts.findLast((part) => part.model !== undefined)?.model;
  const mode = parts.findLast((part) => part.mode !== undefined)?.mode;
  const forwardAbove = parts.findLast((part) => part.forwardAbove !== undefined)?.forwardAbove;
  const api = parts.findLast((part) => part.api !== undefined)?.api;
  return {
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
    ...(forwardAbove === undefined ? {} : { forwardAbove }),
    ...(api === undefined ? {} : { api }),
    servers,
    allow: parts.flatMap((part) => part.allow.map(({ pattern }) => pattern)),
    deny: parts.flatMap((part) => part.deny.map(({ pattern }) => pattern)),
    limits,
    fuse,
    notes,
  };
}

/** `fusebox.yaml:7: servers.notes.comand: Unknown key "comand". Did you mean "command"?` */
function describeIssue({ file, path, line, message, hint }: Issue): string {
  const where = line === undefined ? file : `${file}:${line}`;
  return `${where}: ${path ? `${path}: ` : ""}${message}${hint ? `. ${hint}` : ""}`;
}

function refusal(issues: readonly Issue[]): UsageError {
  const files = [...new Set(issues.map((issue) => issue.file))];
  const count = issues.length === 1 ? "one problem" : `${issues.length} problems`;
  return new UsageError(`Cannot use the configuration: ${count} in ${files.join(", ")}`, {
    issues: issues.toSorted((a, b) =>
      files.indexOf(a.file) - files.indexOf(b.file) || (a.line ?? 0) - (b.line ?? 0)
    ),
  });
}

/** The servers by alias; an alias given twice is an issue, wherever both stand. */
function distinct(parts: readonly FilePart[], issues: Issue[]): Map<string, ServerDraft> {
  const drafts = new Map<string, ServerDraft>();
  for (const draft of parts.flatMap((part) => part.servers)) {
    const first = drafts.get(draft.alias);
    if (!first) {
      drafts.set(draft.alias, draft);
      continue;
    }
    issues.push({
      file: draft.file,
      path: draft.path,
      ...(draft.line === undefined ? {} : { line: draft.line }),
      message: `Two servers are called "${draft.alias}": ${placeOf(draft)} and ${placeOf(first)}`,
      hint: "Rename one of them, or leave one out",
    });
  }
  return drafts;
}

function placeOf({ written, file, line }: ServerDraft): string {
  return `${JSON.stringify(written)} in ${file}${line === undefined ? "" : `:${line}`}`;
}

/**
 * A pattern over a server that is not there changes nothing, which is worth a note. A denial that
 * nearly names one is an issue: what it was to forbid would be allowed.
 */
function checkPatterns(
  parts: readonly FilePart[],
  drafts: ReadonlyMap<string, ServerDraft>,
  issues: Issue[],
  notes: string[],
): void {
  const aliases = [...drafts.keys()];
  const unknown = (alias: string) => !aliases.some((known) => matches(alias, known));
  for (const part of parts) {
    for (const kind of ["allow", "deny"] as const) {
      for (const { pattern, path, line } of part[kind]) {
        const { alias } = parseToolPattern(pattern)!;
        if (alias === "*" || !unknown(alias)) continue;
        const hint = didYouMean(alias, aliases);
        const message = `No server is called ${JSON.stringify(alias)}`;
        const issue = {
          file: part.file,
          path,
          ...(line === undefined ? {} : { line }),
          message,
          ...(hint ? { hint } : {}),
        };
        if (kind === "deny" && hint) issues.push(issue);
        else notes.push(describeIssue(issue));
      }
    }
  }
}

function finish(
  draft: ServerDraft,
  limits: Limits,
  fuse: FusePolicy,
  notes: string[],
): ServerConfig {
  const { line: _line, written: _written, path, limits: own, ...server } = draft;
  const merged = { ...limits, ...own };
  if (own.idleMs ?? own.capMs) noteUnfelt(`${draft.file}: ${path}.limits`, merged, notes);
  return { ...server, limits: merged, fuse: { ...fuse, ...draft.fuse } };
}

function noteUnfelt(where: string, limits: Limits, notes: string[]): void {
  const unfelt = idleBeyondCap(limits);
  if (unfelt) notes.push(`${where}: ${unfelt}`);
}
