/** The table of tools and the directory of names, searched together. @module */

export const TABLES_SCRIPT = String.raw`
const ROWS_FIRST = 50;
const ROWS_MORE = 200;
let rowsShown = ROWS_FIRST;
const STANDS = { offered: ["✓", "offered"], denied: ["–", "denied"], held_back: ["✕", "held back"], quarantined: ["⚑", "changed"] };
let allTools = [];
let toolsLeft = 0;
let toolsRevision;
let tableSaid;

/** Asks for the table of this revision, unless it is the one we have. */
async function loadTools(revision) {
  if (revision === toolsRevision) return;
  toolsRevision = revision;
  try {
    const answer = await ask("tools");
    if (!answer.ok) throw new Error(String(answer.status));
    takeTable(await answer.json());
  } catch {
    toolsRevision = undefined; // The next word about them, or the next connection, tries again.
  }
}

/** A server may list the same ever again: what is read of it stays where it is. */
function takeTable({ tools, left }) {
  const said = JSON.stringify([tools, left]);
  if (said === tableSaid) return;
  tableSaid = said;
  allTools = tools.map((tool) => ({ ...tool, hay: hayOf(tool) }));
  toolsLeft = left;
  drawTables();
}

function hayOf({ alias, tool, name, title, description, hints, state, why }) {
  return [alias + "." + tool, name, title, description, hints.join(" "), STANDS[state][1], why]
    .filter(Boolean).join("\n").toLowerCase();
}

function drawTables() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = allTools.filter(({ hay }) => words.every((word) => hay.includes(word)));
  const shown = found.slice(0, rowsShown);
  $("tool-rows").replaceChildren(...shown.map(toolRow));
  $("name-rows").replaceChildren(...shown.map(nameRow));
  const beyond = found.length > rowsShown ? ", the first " + rowsShown + " are shown" : "";
  setText($("more"), "Show " + Math.min(ROWS_MORE, found.length - rowsShown) + " more");
  show($("more"), beyond !== "");
  show($("tool-table"), found.length > 0);
  show($("names"), found.length > 0);
  const all = allTools.length + toolsLeft;
  setText($("found"), words.length > 0
    ? found.length + " of " + count(all, "tool") + beyond
    : count(all, "tool") + beyond);
  show($("no-tools"), found.length === 0);
  setText($("no-tools"), words.length > 0 ? "No tool has these words." : "No server has listed a tool yet.");
}

function cell(label, className, ...children) {
  return el("td", { role: "cell", "data-label": label, ...(className && { class: className }) }, ...children);
}

function toolRow({ alias, tool, title, description, hints, state, why }) {
  const [sign, word] = STANDS[state];
  return el("tr", { role: "row" },
    cell("Tool", "name", el("span", { class: "alias" }, alias + "."), tool),
    cell("Says", "", title && el("span", {}, title), description && el("small", {}, description)),
    cell("Hints", "", ...hints.map((hint) => el("span", { class: "chip" }, hint))),
    cell("State", "", el("span", { class: "stands", "data-state": state, "data-sign": sign }, word),
      why && el("small", {}, why)));
}

function nameRow({ alias, tool, name }) {
  return el("tr", { role: "row" },
    cell("Public name", "name", name ?? "none"),
    cell("Alias", "name", alias),
    cell("Raw name", "name", tool));
}

$("search").addEventListener("input", () => {
  rowsShown = ROWS_FIRST;
  drawTables();
});
$("more").addEventListener("click", () => {
  rowsShown += ROWS_MORE;
  drawTables();
  if ($("more").hidden) $("tools").focus(); // What had the focus is gone.
});
`;
