/** The words of the page: spans of time, states, outcomes. @module */

export const WORDS_SCRIPT = String.raw`
/** How the clock of the run differs from ours, in milliseconds. */
let skew = 0;
/** The time of the run, once it has ended. */
let stopped;
const now = () => stopped ?? Date.now() + skew;

function count(n, noun) {
  return n.toLocaleString("en") + " " + noun + (n === 1 ? "" : "s");
}

/** Milliseconds as people say them. */
function took(ms) {
  if (ms < 0.5) return "<1 ms";
  if (ms < 1000) return Math.round(ms) + " ms";
  return ms < 60000 ? (ms / 1000).toFixed(1) + " s" : span(ms);
}

/** A span of time, to the second below ten minutes, then to the minute, then to the hour. */
function span(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  const said = (n, unit) => n + "\u00a0" + unit;
  if (s < 60) return said(s, "s");
  if (s < 600) return said(Math.floor(s / 60), "min") + " " + said(s % 60, "s");
  if (s < 3600) return said(Math.floor(s / 60), "min");
  if (s < 172800) return said(Math.floor(s / 3600), "h") + " " + said(Math.floor(s % 3600 / 60), "min");
  return said(Math.floor(s / 86400), "days");
}

const TIME = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** The time of day; of another day, its date as well: the page may be open for a week. */
function stamp(iso) {
  const at = new Date(iso);
  if (at.toDateString() === new Date().toDateString()) return TIME.format(at);
  return DAY.format(at) + ", " + TIME.format(at).slice(0, 5);
}

/** By look: the word for it, and the path of its mark in a box of 20 × 20. */
const LOOKS = {
  on: ["On", "M5 10.5l3.5 3.5L15 6.5"],
  probation: ["On probation", "M10 4.5v7M10 15v.5"],
  tripped: ["Tripped", "M5.5 5.5l9 9M14.5 5.5l-9 9"],
  trial: ["On trial", "M6.8 7.2a3.2 3.2 0 1 1 4.6 3c-1 .6-1.4 1.2-1.4 2.3M10 15.5v.5"],
  starting: ["Starting", "M4.5 10h.5M9.8 10h.5M15 10h.5"],
  resting: ["Resting", "M5 10h10"],
  offline: ["Offline", "M10 4a6 6 0 1 0 .01 0M5.8 14.2l8.4-8.4"],
  disabled: ["Switched off", "M10 4v6M6.5 6.2a5.5 5.5 0 1 0 7 0"],
};

function lookOf(server) {
  if (server.fuse.state === "open") return "tripped";
  if (server.fuse.state === "half_open") return "trial";
  if (server.state === "offline") return server.reason === "disabled" ? "disabled" : "offline";
  if (server.state === "attaching") return "starting";
  if (server.fuse.state === "probation") return "probation";
  return server.state === "online" ? "on" : "resting";
}

const wordOf = (look) => LOOKS[look][0];
const isOn = (look) => look === "on" || look === "probation";

const ANSWERS = { ok: "answered", tool_error: "the tool said no", refused: "refused by the server" };

/** Names in a sentence; of many, the first three. */
function named(names) {
  const some = names.slice(0, 3);
  if (names.length > 3) some.push(names.length - 3 + " more");
  return some.length < 2 ? some.join("") : some.slice(0, -1).join(", ") + " and " + some.at(-1);
}

/** How many are on, in a sentence, and those of which nothing else is said. */
function headline(servers) {
  if (servers.length === 0) return ["No circuits", ""];
  const by = new Map();
  for (const server of servers) {
    const look = lookOf(server);
    by.set(look, [...by.get(look) ?? [], server.alias]);
  }
  const on = (by.get("on") ?? []).length + (by.get("probation") ?? []).length;
  const lit = on < servers.length
    ? on + " of " + count(servers.length, "circuit") + (on === 1 ? " is on" : " are on")
    : on === 1 ? "The one circuit is on" : "All " + on + " circuits are on";
  const rest = ["probation", "starting", "resting", "disabled"].filter((look) => by.has(look))
    .map((look) => named(by.get(look)) + " " + wordOf(look).toLowerCase());
  return [lit, rest.join("; ")];
}

/** What needs attention, by how much. */
const TROUBLES = ["tripped", "offline", "trial"];
const inTrouble = (servers) => servers
  .map((server) => ({ server, look: lookOf(server) }))
  .filter(({ look }) => TROUBLES.includes(look))
  .sort((a, b) => b.server.required - a.server.required ||
    TROUBLES.indexOf(a.look) - TROUBLES.indexOf(b.look));
`;
