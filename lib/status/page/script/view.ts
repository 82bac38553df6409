/** From what the run says to what is on the page: the whole at first, then what is another. @module */

export const VIEW_SCRIPT = String.raw`
const servers = new Map();
let run;
/** It is not the run that the page was opened for. */
let isLater = false;
let version;

function takeSnapshot(report) {
  // Another fusebox has another page, which knows what its own says.
  if (version !== undefined && version !== report.fusebox) return location.reload();
  version = report.fusebox;
  if (run?.id !== report.run.id) beginAnew();
  skew = Date.parse(report.at) - Date.now();
  run = report.run;
  takeServers(report.servers);
  feed(report, fed.call > 0);
  setText($("version"), "fusebox " + version);
  if (report.table) takeTable(report.table);
  else loadTools(run.id + " " + report.tools);
  drawRun();
}

/** Another run: nothing of the last one stays. */
function beginAnew() {
  if (run) {
    isLater = true;
    setText($("news"), "Another run is shown now");
  }
  stopped = undefined;
  breakers.clear();
  servers.clear();
  $("panel").replaceChildren();
  clearFeed();
}

function takeNews(news) {
  if (news.run) run = news.run;
  if (news.servers) takeServers(news.servers);
  feed(news, true);
  if (news.tools !== undefined) loadTools(run.id + " " + news.tools);
  drawRun();
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
    const { look, before } = updateBreaker(own, server);
    if (!isNew && before !== look) told.push(sayChange(server, look, before));
  }
  const words = told.filter(Boolean).join(". ");
  if (words) setText($("news"), words);
}

/** For those who listen: what goes wrong, and what works again. A trial that fails is no news. */
function sayChange({ alias, reason, message }, look, before) {
  if (look === "tripped" || look === "offline") {
    if (before === "trial") return undefined;
    return alias + " is " + wordOf(look).toLowerCase() + (reason ? ": " + message : "");
  }
  return TROUBLES.includes(before) && isOn(look) ? alias + " is on again" : undefined;
}

function drawRun() {
  const all = [...servers.values()];
  const [head, rest] = headline(all);
  setText($("headline"), head);
  setText($("rest"), rest);
  show($("panel"), all.length > 0);
  show($("no-servers"), all.length === 0);
  setAttribute($("panel"), "data-many", String(all.length > MANY));
  drawTrouble(inTrouble(all));
  const { tokens } = run;
  setTerms($("facts"), [
    ["mode", run.mode],
    ["model", run.model],
    ["model requests", run.model && String(run.requests)],
    ["tokens in", tokens.input > 0 ? tokens.input.toLocaleString("en") +
      " (" + tokens.cachedInput.toLocaleString("en") + " cached)" : ""],
    ["tokens out", tokens.output > 0 ? tokens.output.toLocaleString("en") : ""],
    ["prefix", run.prefix],
    ["began", stamp(run.startedAt)],
    ["up", span(now() - Date.parse(run.startedAt))],
  ].filter(([, fact]) => fact));
  drawTab();
}

/** From so many circuits on, they are drawn smaller. */
const MANY = 9;
const troubles = new Map();

/** Above the panel, whose circuits keep their places: who is out, and the way there. */
function drawTrouble(found) {
  const aliases = found.map(({ server }) => server.alias);
  for (const alias of troubles.keys()) if (!aliases.includes(alias)) troubles.delete(alias);
  for (const { server, look } of found) {
    const { alias } = server;
    if (!troubles.has(alias)) troubles.set(alias, newTrouble(alias));
    const { root, mark, state } = troubles.get(alias);
    root.dataset.look = look;
    setAttribute(mark, "d", LOOKS[look][1]);
    setText(state, [wordOf(look).toLowerCase(), nextTrial(server) ?? server.reason].filter(Boolean).join(", "));
  }
  const roots = aliases.map((alias) => troubles.get(alias).root);
  const list = $("trouble");
  if (roots.some((root, at) => list.children[at] !== root) || list.childElementCount > roots.length) {
    list.replaceChildren(...roots);
  }
  show(list, roots.length > 0);
}

function newTrouble(alias) {
  const mark = svg("path", { class: "mark" });
  const state = el("span");
  const link = el("a", { href: "#" + idOf(alias) },
    svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, mark), el("strong", {}, alias), " ", state);
  return { root: el("li", {}, link), mark, state };
}

/** Title and icon: what is known of a run while its page is not looked at. */
function drawTab() {
  const { link } = document.documentElement.dataset;
  const bad = [...servers.values()].map(lookOf).filter((look) => look === "tripped" || look === "offline").length;
  const words = { ended: "ended", lost: "no connection", locked: "token wanted" };
  const word = words[link] ?? (bad > 0 ? bad + " out" : "");
  document.title = (word && word + " · ") + "fusebox";
  drawIcon(servers.size === 0 || link !== "live" ? "resting" : bad > 0 ? "tripped" : "on");
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

let today = new Date().toDateString();
setInterval(() => {
  const day = new Date().toDateString();
  if (day !== today) restamp();
  today = day;
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
