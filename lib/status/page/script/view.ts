/** From what the run says to what is on the page: the whole at first, then what is another. @module */

export const VIEW_SCRIPT = String.raw`
const servers = new Map();
let run;

function takeSnapshot(report) {
  if (run?.id !== report.run.id) stopped = undefined;
  skew = Date.parse(report.at) - Date.now();
  run = report.run;
  const aliases = report.servers.map(({ alias }) => alias);
  for (const [alias, { root }] of breakers) {
    if (aliases.includes(alias)) continue;
    root.remove();
    breakers.delete(alias);
    servers.delete(alias);
  }
  noteChanges(report.changes);
  takeServers(report.servers, report.changes);
  clearFeed();
  addToFeed(feedItems(report.calls, report.changes), false);
  setText($("version"), "fusebox " + report.fusebox);
  if (report.table) takeTable(report.table);
  else loadTools(report.run.id + " " + report.tools);
  drawRun();
}

function takeNews(news, at) {
  if (news.run) run = news.run;
  if (news.changes) noteChanges(news.changes);
  if (news.servers) takeServers(news.servers);
  const items = feedItems(news.calls, news.changes);
  if (news.left) items.unshift(leftItem(news.calls[0].at, news.left));
  if (items.length > 0) addToFeed(items, true);
  if (news.tools !== undefined) loadTools(run.id + " " + news.tools);
  drawRun();
}

/** When a server came into the state it is in. */
const changedAt = new Map();
function noteChanges(changes) {
  for (const { alias, at } of changes) changedAt.set(alias, at);
}

function takeServers(rows) {
  const told = [];
  for (const server of rows) {
    const { alias } = server;
    servers.set(alias, server);
    const isNew = !breakers.has(alias);
    if (isNew) {
      breakers.set(alias, newBreaker(alias, breakers.size + 1));
      $("panel").append(breakers.get(alias).root);
    }
    const own = breakers.get(alias);
    own.changedAt = changedAt.get(alias);
    const { look, before } = updateBreaker(own, server);
    if (!isNew && before !== look) told.push(sayChange(server, look, before));
  }
  const words = told.filter(Boolean).join(". ");
  if (words) setText($("news"), words);
}

/** For those who listen: what goes wrong, and what works again. */
function sayChange({ alias, reason, message }, look, before) {
  if (look === "tripped" || look === "offline") {
    return alias + " is " + wordOf(look).toLowerCase() + (reason ? ": " + message : "");
  }
  const wasDown = ["tripped", "trial", "offline"].includes(before);
  return wasDown && isOn(look) ? alias + " is on again" : undefined;
}

function drawRun() {
  const all = [...servers.values()];
  const looks = all.map(lookOf);
  const [head, rest] = headline(all);
  setText($("headline"), head);
  setText($("rest"), rest);
  show($("no-servers"), all.length === 0);
  const bad = looks.filter((look) => look === "tripped" || look === "offline").length;
  document.title = (bad > 0 ? bad + " out · " : "") + "fusebox";
  drawIcon(looks.length === 0 ? "resting" : bad > 0 ? "tripped" : "on");
  const { tokens } = run;
  setTerms($("facts"), [
    ["mode", run.mode],
    ["model", run.model],
    ["model requests", run.model && String(run.requests)],
    ["tokens in", tokens.input > 0 ? tokens.input.toLocaleString("en") +
      " (" + tokens.cachedInput.toLocaleString("en") + " cached)" : ""],
    ["tokens out", tokens.output > 0 ? tokens.output.toLocaleString("en") : ""],
    ["prefix", run.prefix],
    ["up", span(now() - Date.parse(run.startedAt))],
  ].filter(([, fact]) => fact));
}

/** In the tab: round and whole, or broken in two. */
function drawIcon(look) {
  const shapes = {
    on: "<circle cx='8' cy='8' r='6.5' fill='%2314692f'/>",
    resting: "<circle cx='8' cy='8' r='5.5' fill='none' stroke='%23777' stroke-width='2'/>",
    tripped: "<rect x='1' y='1' width='14' height='14' rx='2' fill='%23ad1f17'/><path d='M4.5 4.5l7 7m0-7l-7 7' stroke='white' stroke-width='2.4'/>",
  };
  setAttribute($("icon"), "href",
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
    shapes[look].replaceAll("<", "%3C").replaceAll(">", "%3E") + "%3C/svg%3E");
}

setInterval(() => {
  if (!run || stopped !== undefined) return;
  drawRun();
  for (const own of breakers.values()) tickBreaker(own);
}, 1000);

const THEMES = ["automatic", "light", "dark"];
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  setText($("theme"), "Theme: " + theme);
  remember("theme", theme);
}
$("theme").addEventListener("click", () => {
  const at = THEMES.indexOf(document.documentElement.dataset.theme);
  setTheme(THEMES[(at + 1) % THEMES.length]);
});

/** A browser may forbid to keep anything: then it is forgotten with the page. */
function remember(key, value, store = "localStorage") {
  try { window[store].setItem("fusebox " + key, value); } catch { /* It is not kept. */ }
}
function remembered(key, store = "localStorage") {
  try { return window[store].getItem("fusebox " + key) ?? undefined; } catch { return undefined; }
}
setTheme(THEMES.find((theme) => theme === remembered("theme")) ?? "automatic");
`;
