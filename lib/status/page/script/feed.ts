/** The feed: each call as it ends, each change of state, newest on top. @module */

export const FEED_SCRIPT = String.raw`
const FEED_MOST = 150;
let isPaused = false;
let waiting = [];

function feedItems(calls, changes) {
  return [...(calls ?? []).map(callItem), ...(changes ?? []).map(changeItem)]
    .sort((a, b) => a.at < b.at ? -1 : a.at > b.at ? 1 : 0);
}

function callItem({ at, alias, tool, ms, outcome }) {
  const kind = outcome === "ok" ? "ok" : ANSWERS[outcome] ? "no" : "lost";
  const sign = { ok: "✓", no: "!", lost: "✕" }[kind];
  return { at, make: () => el("li", { "data-kind": kind },
    el("time", { datetime: at }, clockTime(at)),
    el("span", { class: "who" }, alias + "." + tool),
    el("span", { class: "took" }, took(ms)),
    el("span", { class: "how", "data-sign": sign }, ANSWERS[outcome] ?? outcome)) };
}

function changeItem(change) {
  const { at, alias, message } = change;
  const look = lookOf({ ...change, fuse: { state: change.fuse } });
  const kind = look === "tripped" || look === "offline" ? "trip" : "state";
  const sign = kind === "trip" ? "✕" : "◆";
  return { at, make: () => el("li", { "data-kind": kind },
    el("time", { datetime: at }, clockTime(at)),
    el("span", { class: "who" }, alias + ": " + wordOf(look).toLowerCase()),
    message === undefined ? undefined : el("span", { class: "how", "data-sign": sign }, message)) };
}

function leftItem(at, left) {
  return { at, make: () => el("li", { "data-kind": "no" }, el("time", {}, clockTime(at)),
    el("span", { class: "who" }, "and " + count(left, "call") + " more, faster than this list")) };
}

function addToFeed(items, isFresh) {
  if (isPaused) {
    waiting = [...waiting, ...items].slice(-FEED_MOST);
    return setText($("pause"), "Go on (" + waiting.length + " new)");
  }
  const made = items.slice(-FEED_MOST).map(({ make }) => make()).reverse();
  if (isFresh && made.length < 5) for (const item of made) item.classList.add("fresh");
  const feed = $("feed");
  feed.prepend(...made);
  while (feed.childElementCount > FEED_MOST) feed.lastElementChild.remove();
  show($("no-calls"), feed.childElementCount === 0);
}

function clearFeed() {
  waiting = [];
  $("feed").replaceChildren();
}

$("pause").addEventListener("click", () => {
  isPaused = !isPaused;
  setAttribute($("pause"), "aria-pressed", String(isPaused));
  setText($("pause"), isPaused ? "Go on" : "Pause");
  if (isPaused) return;
  const items = waiting;
  waiting = [];
  addToFeed(items, true);
});
`;
