/** The feed: each call as it ends, each change of state, newest on top. @module */

export const FEED_SCRIPT = String.raw`
const FEED_MOST = 150;
let isPaused = false;
let waiting = [];
/** What was fed last: after a broken line, the run tells again what we know. */
const fed = { call: 0, change: 0 };

/** Adds what is not there yet; "left" is how many calls there were between. */
function feed({ calls = [], changes = [], left }, isFresh) {
  const newCalls = calls.filter(({ id }) => id > fed.call);
  const newChanges = changes.filter(({ id }) => id > fed.change);
  const between = left ?? (fed.call > 0 && newCalls.length > 0 ? newCalls[0].id - fed.call - 1 : 0);
  fed.call = newCalls.at(-1)?.id ?? fed.call;
  fed.change = newChanges.at(-1)?.id ?? fed.change;
  const items = [...newCalls.map(callItem), ...newChanges.map(changeItem)]
    .sort((a, b) => a.at < b.at ? -1 : a.at > b.at ? 1 : 0);
  if (between > 0) items.unshift(leftItem(newCalls[0].at, between));
  if (items.length > 0) addToFeed(items, isFresh);
}

function item(at, kind, sign, who, how, ...more) {
  return { at, make: () => el("li", { "data-kind": kind },
    el("time", { datetime: at }, stamp(at)),
    el("span", { class: "sign", "aria-hidden": "true" }, sign),
    el("span", { class: "who" }, who),
    ...more,
    how && el("span", { class: kind === "ok" ? "unseen" : "how" }, how)) };
}

function callItem({ at, alias, tool, ms, outcome }) {
  const kind = outcome === "ok" ? "ok" : ANSWERS[outcome] ? "no" : "lost";
  const sign = { ok: "✓", no: "!", lost: "✕" }[kind];
  return item(at, kind, sign, alias + "." + tool, ANSWERS[outcome] ?? outcome,
    el("span", { class: "took" }, took(ms)));
}

function changeItem(change) {
  const { at, alias, message } = change;
  const look = lookOf({ ...change, fuse: { state: change.fuse } });
  const isDown = look === "tripped" || look === "offline";
  return item(at, isDown ? "trip" : "state", isDown ? "✕" : "◆",
    alias + ": " + wordOf(look).toLowerCase(), isDown ? message : undefined);
}

function leftItem(at, left) {
  return item(at, "left", "⋯", "and " + count(left, "call") + " more");
}

function addToFeed(items, isFresh) {
  if (isPaused) {
    waiting = [...waiting, ...items].slice(-FEED_MOST);
    return setText($("pause"), "Go on (" + waiting.length + " new)");
  }
  const made = items.slice(-FEED_MOST).map(({ make }) => make()).reverse();
  if (isFresh && made.length < 5) for (const one of made) one.classList.add("fresh");
  const list = $("feed");
  list.prepend(...made);
  while (list.childElementCount > FEED_MOST) list.lastElementChild.remove();
  show($("no-calls"), list.childElementCount === 0);
}

/** For another run: what is shown of the last one goes. */
function clearFeed() {
  waiting = [];
  fed.call = fed.change = 0;
  $("feed").replaceChildren();
  setPaused(false);
}

function setPaused(is) {
  isPaused = is;
  setAttribute($("pause"), "aria-pressed", String(is));
  setText($("pause"), is ? "Go on" : "Pause");
}

$("pause").addEventListener("click", () => {
  setPaused(!isPaused);
  if (isPaused) return;
  const items = waiting;
  waiting = [];
  addToFeed(items, true);
});

/** After midnight, what came before it is of another day. */
function restamp() {
  for (const time of $("feed").querySelectorAll("time")) setText(time, stamp(time.dateTime));
}
`;
