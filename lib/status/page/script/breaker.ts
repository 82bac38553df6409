/** One circuit of the panel: built once, and changed in place so that what is open or focused stays so. @module */

export const BREAKER_SCRIPT = String.raw`
const breakers = new Map();
const idOf = (alias) => "circuit-" + alias;

function newBreaker(alias, number) {
  const part = (name, className) => el(name, { class: className });
  const own = {
    look: undefined,
    mark: svg("path", { class: "mark" }),
    state: part("p", "state"),
    since: part("p", "since"),
    next: part("p", "next"),
    spark: svg("svg", { class: "spark", role: "img", viewBox: "0 0 200 38", preserveAspectRatio: "none" }),
    figures: part("p", "figures"),
    why: part("p", "why"),
    required: el("span", { class: "tag" }, "required"),
    terms: el("dl"),
    words: el("pre", { tabindex: "0", "aria-label": "The last words of " + alias }),
  };
  own.root = el("li", { class: "breaker", id: idOf(alias), tabindex: "-1", "data-alias": alias },
    el("header", {}, el("span", { class: "number", "aria-hidden": "true" }, String(number).padStart(2, "0")),
      el("h3", {}, alias), own.required),
    el("div", { class: "face" }, newSwitch(own.mark), el("div", {}, own.state, own.since, own.next)),
    own.why,
    own.spark,
    own.figures,
    el("details", {}, el("summary", {}, "Details", el("span", { class: "unseen" }, " of " + alias)), own.terms, own.words),
  );
  return own;
}

function newSwitch(mark) {
  const box = (className, x, y, width, height, rx) => svg("rect", { class: className, x, y, width, height, rx });
  const indicator = svg("g", { transform: "translate(27 5)" }, box("indicator", 0, 0, 20, 20, 5), mark);
  const lever = svg("g", { class: "lever" }, box("grip", 21, 40, 32, 36, 5), box("shine", 21, 40, 32, 6, 4),
    box("shade", 21, 68, 32, 8, 4), svg("path", { class: "groove", d: "M27 52h20M27 57h20M27 62h20" }));
  return svg("svg", { class: "switch", viewBox: "0 0 74 124", "aria-hidden": "true" },
    box("case", 1, 1, 72, 122, 8), indicator, box("slot", 18, 34, 38, 82, 7),
    svg("path", { class: "ends", d: "M64 46v9M64 96a4.5 4.5 0 1 0 .01 0" }), lever);
}

function updateBreaker(own, server) {
  own.server = server;
  const look = lookOf(server);
  const before = own.look;
  if (before !== look) {
    own.look = look;
    own.root.dataset.look = look;
    setText(own.state, wordOf(look));
    setAttribute(own.mark, "d", LOOKS[look][1]);
    if (before !== undefined) own.root.classList.add("moved");
  }
  show(own.required, server.required);
  setAttribute(own.spark, "class", server.latency.last.length > 0 ? "spark" : "spark idle");
  drawSpark(own.spark, server.latency.last);
  setFigures(own.figures, server);
  setWhy(own.why, server, look);
  setTerms(own.terms, termsOf(server));
  const words = (server.stderr ?? []).join("\n");
  show(own.words, words !== "");
  setText(own.words, words);
  tickBreaker(own);
  return { look, before };
}

function setFigures(element, { calls, latency }) {
  const answered = ["ok", "tool_error", "refused"];
  const lost = Object.entries(calls.outcomes)
    .reduce((sum, [outcome, n]) => answered.includes(outcome) ? sum : sum + n, 0);
  const parts = [
    latency.p50 !== undefined && "p50 " + took(latency.p50) + " · p95 " + took(latency.p95),
    calls.total > 0 && count(calls.total, "call") + (lost > 0 ? ", " + lost + " lost" : ""),
  ].filter(Boolean);
  setText(element, parts.join(" · ") || "no calls yet");
}

/** Why it is not to be had; of one that works again, nothing is left to say here. */
function setWhy(element, { reason, message }, look) {
  const isShown = reason !== undefined && TROUBLES.includes(look);
  show(element, isShown);
  if (!isShown || element.dataset.said === reason + message) return;
  element.dataset.said = reason + message;
  element.replaceChildren(el("code", {}, reason), " " + message);
}

function termsOf(server) {
  const { dialect, tools, calls, fuse } = server;
  const outcomes = Object.entries(calls.outcomes).map(([outcome, n]) => outcome + " " + n).join(", ");
  return [
    ["calls itself", [server.server?.name, server.server?.version].filter(Boolean).join(" ")],
    ["is", server.description],
    ["speaks", dialect && dialect.version + " (" + dialect.era + ")"],
    ["process", server.pid === undefined ? "" : String(server.pid)],
    ["reached at", server.origin],
    ["tools", tools.listed + " listed, " + tools.offered + " offered" +
      (tools.denied > 0 ? ", " + tools.denied + " denied" : "") +
      (tools.heldBack > 0 ? ", " + tools.heldBack + " held back" : "") +
      (tools.quarantined > 0 ? ", " + tools.quarantined + " changed and held back" : "")],
    ["list", server.source && (server.source === "live" ? "of this run" : "of an earlier run") +
      (server.listedAt ? ", " + stamp(server.listedAt) : "")],
    ["attached", count(server.attaches, "time") + (server.attachMs === undefined ? "" : ", in " + took(server.attachMs))],
    ["fuse", "opened " + count(fuse.opened, "time")],
    ["calls", outcomes],
    ["last reason", server.reason && server.reason + ": " + server.message + " (" + stamp(server.since) + ")"],
    ["problems", server.problems.join("; ")],
  ].filter(([, text]) => text);
}

/** What changes by the mere passing of time. */
function tickBreaker({ server, look, since, next }) {
  const isDown = look === "offline" || look === "disabled";
  const from = server.fuse.since ?? (isDown ? server.since : undefined) ?? server.stateSince;
  setText(since, from === undefined ? "" : "for " + span(now() - Date.parse(from)));
  const trial = nextTrial(server);
  show(next, trial !== undefined);
  if (trial) setText(next, trial);
}

function nextTrial({ fuse }) {
  if (fuse.trialAt === undefined) return undefined;
  const left = Date.parse(fuse.trialAt) - now();
  return left > 0 ? "next trial in " + span(left) : "a trial is due";
}

document.addEventListener("animationend", ({ target }) => target.classList.remove("moved", "fresh"));
`;
