/** Servers as other clients write them (`mcpServers`, VS Code): what we take over, and what not. @module */
import { type Complaint, entriesOf, type Place } from "./shape.ts";
import { NOWHERE, readServer, SERVER_KEYS, type ServerDraft } from "./server.ts";
import type { Tree } from "./tree.ts";

const PERMISSION = "is not taken over: only you give permissions, with allow:";

/** Why a key of another client is left aside; of the others we know nothing. */
const LEFT_ASIDE = new Map([
  ["alwaysAllow", PERMISSION],
  ["autoApprove", PERMISSION],
  ["trust", PERMISSION],
  [
    "timeout",
    "is not taken over, for some clients mean seconds and some milliseconds: " +
    "write limits: { idle: 60s }",
  ],
  ["envFile", "is not read: put the variables into the environment, or under env"],
  ["sse", "means the old HTTP+SSE transport, which is not spoken"],
]);

/** Which servers a key was left aside for, so that each is told once and not once per server. */
export type LeftAside = Map<string, string[]>;

export function leftAsideNotes(file: string, left: LeftAside): string[] {
  return [...left].map(([key, aliases]) =>
    `${file}: ${JSON.stringify(key)} (${aliases.join(", ")}) ${
      LEFT_ASIDE.get(key) ?? "is not used"
    }`
  );
}

/**
 * One entry of another client's file. Nothing in it can spoil more than that server: what is wrong
 * becomes its `problem`. What we do not use is collected in `left`.
 */
export function readForeign(
  named: { alias: string; written: string; file: string },
  place: Place,
  left: LeftAside,
): ServerDraft {
  const wrong: Complaint[] = [];
  const aside = (key: string) => left.set(key, [...left.get(key) ?? [], named.alias]);
  const tell = (complaint: Complaint) => wrong.push(complaint);
  const tree = translate(entriesOf({ ...place, tell }), aside);
  const { line } = place.tree;
  const draft = readServer(named, {
    tree: { ...tree, ...(line === undefined ? {} : { line }) },
    path: place.path,
    tell,
  });
  const first = wrong[0];
  if (!first) return draft;
  const where = first.path.slice(place.path.length).replace(/^\./, "");
  const what = first.message.charAt(0).toLowerCase() + first.message.slice(1);
  return { ...draft, reach: NOWHERE, problem: where ? `${what} (${where})` : what };
}

/** The same entry in our own words. */
function translate(entries: ReadonlyMap<string, Place>, aside: (key: string) => void): Tree {
  const own = new Map<string, Tree>();
  const tools = new Map<string, Tree>();
  for (const [key, { tree }] of entries) {
    switch (key) {
      case "tools":
        if (tree.kind === "list") tools.set("allow", tree);
        else own.set(key, tree);
        break;
      // A restriction must not get lost, or more would be allowed here than there.
      case "includeTools":
      case "enabledTools":
        tools.set("allow", tree);
        break;
      case "excludeTools":
      case "disabledTools":
        tools.set("deny", tree);
        break;
      case "command":
        if (tree.kind !== "list") own.set(key, tree);
        else {
          own.set("command", tree.items[0] ?? { kind: "null" });
          own.set("args", { kind: "list", items: tree.items.slice(1) });
        }
        break;
      case "enabled":
        own.set("disabled", negated(tree));
        break;
      case "type":
      case "transport":
      case "httpUrl":
      case "serverUrl":
        break;
      default:
        if (SERVER_KEYS.includes(key)) {
          if (!own.has(key)) own.set(key, tree);
        } else aside(key);
    }
  }
  const ours = own.get("tools");
  if (tools.size > 0) {
    const entries = new Map([...ours?.kind === "map" ? ours.entries : [], ...tools]);
    own.set("tools", { kind: "map", entries });
  }
  // Gemini writes `url` for the old transport and `httpUrl` for the new one.
  const url = entries.get("httpUrl") ?? entries.get("url") ?? entries.get("serverUrl");
  if (url) own.set("url", url.tree);
  settle(own, entries.get("type") ?? entries.get("transport"), aside);
  return { kind: "map", entries: own };
}

/** Keeps what belongs to the kind of server that `type` names, or that the entry amounts to. */
function settle(
  own: Map<string, Tree>,
  type: Place | undefined,
  aside: (key: string) => void,
): void {
  const word = type?.tree.kind === "string" ? type.tree.text.toLowerCase() : "";
  const remote = /http|sse|remote/.test(word) || (own.has("url") && !own.has("command"));
  const local = /stdio|local/.test(word) || (own.has("command") && !own.has("url"));
  if (word === "sse" && own.has("url")) aside("sse");
  if (remote === local) return;
  const misfits = remote ? ["command", "args", "env", "cwd", "inheritEnv"] : ["url", "headers"];
  if (!own.has(remote ? "url" : "command")) return;
  for (const key of misfits) if (own.delete(key)) aside(key);
}

function negated(tree: Tree): Tree {
  return tree.kind === "boolean" ? { ...tree, value: !tree.value } : tree;
}

/** What VS Code would ask its user for: `${input:token}` stays unset here. */
export function inputsNote(file: string): string {
  return `${file}: "inputs" are what VS Code asks its user for: ` +
    "write ${NAME} instead of ${input:…} and set that variable";
}
