/** How the page looks: colours, the door, what stands around the panel. @module */
import { BREAKER_STYLE } from "./style/breaker.ts";
import { LIST_STYLE } from "./style/lists.ts";

/** Each colour twice, for light and dark. On its ground each text has a contrast of 4.5 at the least. */
const BASE = `
:root {
  color-scheme: light dark;
  --wall: light-dark(#dcd8cf, #0f1114);
  --plate: light-dark(#f4f1ea, #1a1e23);
  --edge: light-dark(#b9b2a3, #353b44);
  --body: light-dark(#fffefb, #232930);
  --slot: light-dark(#cfc9bb, #0d0f12);
  --metal: light-dark(#a9a396, #4a515b);
  --lever: light-dark(#4a4d53, #c9c6be);
  --ink: light-dark(#1c1e21, #ecebe6);
  --soft: light-dark(#55585e, #b0b3b8);
  --focus: light-dark(#0b57d0, #a8c7fa);
  --on: light-dark(#14692f, #63d78a);
  --tripped: light-dark(#ad1f17, #ff8f86);
  --trial: light-dark(#7a4f00, #ffc55c);
  --starting: light-dark(#1a55a0, #92bdff);
  --resting: light-dark(#55585e, #b0b3b8);
  --on-ground: light-dark(#dff2e4, #16351f);
  --tripped-ground: light-dark(#fbe3e0, #431b18);
  --trial-ground: light-dark(#fbedcd, #3a2c0e);
  --starting-ground: light-dark(#e1ecfb, #182b45);
  --resting-ground: light-dark(#ebe8e1, #2b3037);
  --mono: ui-monospace, "Cascadia Code", "SF Mono", Menlo, "DejaVu Sans Mono", monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
*, *::before, *::after { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--wall);
  color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1, h2, h3, p, dl, dd, ul, ol { margin: 0; padding: 0; }
ul, ol { list-style: none; }
code { font: 0.92em var(--mono); }
[hidden] { display: none !important; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
button, input[type="search"], input[type="password"] {
  font: inherit;
  color: inherit;
  min-height: 34px;
  padding: 4px 12px;
  border: 1px solid var(--soft);
  border-radius: 6px;
  background: var(--body);
}
button { cursor: pointer; }
button:hover { background: var(--plate); }
button[aria-pressed="true"] { background: var(--ink); color: var(--plate); }
.unseen {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
.skip { position: absolute; left: -999px; top: 4px; padding: 8px 12px; background: var(--body); color: var(--ink); z-index: 9; }
.skip:focus { left: 8px; }
.door, main, footer { max-width: 2200px; margin: 0 auto; padding: 0 20px; }
.door { display: flex; align-items: center; gap: 12px 20px; flex-wrap: wrap; padding-top: 14px; padding-bottom: 6px; }
.brand { display: flex; align-items: center; gap: 10px; font: 700 18px/1 var(--mono); letter-spacing: 0.02em; }
.brand svg { width: 40px; height: 20px; }
.cap { fill: var(--soft); }
.glass { fill: var(--body); stroke: var(--soft); }
.wire { fill: none; stroke: var(--on); stroke-width: 1.6; stroke-linecap: round; }
.link { display: flex; align-items: center; gap: 8px; margin-left: auto; font-weight: 600; }
.lamp { width: 13px; height: 13px; border-radius: 50%; border: 2px solid currentColor; flex: none; }
[data-link="live"] .link { color: var(--on); }
[data-link="live"] .lamp { background: currentColor; box-shadow: 0 0 0 3px var(--on-ground); }
[data-link="lost"] .link, [data-link="connecting"] .link, [data-link="locked"] .link { color: var(--trial); }
[data-link="lost"] .lamp { border-style: dashed; }
[data-link="ended"] .link { color: var(--soft); }
[data-link="ended"] .lamp { border-radius: 2px; background: currentColor; }
.notice {
  margin: 8px 0 4px;
  padding: 12px 16px;
  border: 1px solid var(--edge);
  border-left: 6px solid var(--starting);
  border-radius: 8px;
  background: var(--body);
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 8px 20px;
}
.notice label { display: flex; gap: 8px; align-items: center; flex-wrap: wrap; }
.notice input[type="checkbox"] { width: 18px; height: 18px; }
[data-link="locked"] :is(.room, #tools, #names) { display: none; }
#sign-in-why { color: var(--tripped); }
.top { display: flex; flex-direction: column; gap: 8px; margin: 6px 0 14px; }
h1 { font-size: clamp(20px, 2.4vw, 28px); line-height: 1.2; letter-spacing: -0.01em; }
#rest { color: var(--soft); }
#rest:empty { display: none; }
.trouble { display: flex; flex-wrap: wrap; gap: 6px 8px; max-height: max(132px, 26vh); overflow-y: auto; padding: 3px; margin: -3px; }
.trouble a { display: flex; align-items: center; gap: 0 6px; flex-wrap: wrap; min-height: 28px; padding: 2px 12px 2px 6px; border: 1px solid var(--state); border-radius: 6px; background: var(--ground); color: var(--ink); text-decoration: none; font-size: 14px; font-variant-numeric: tabular-nums; }
.trouble a:hover strong { text-decoration: underline; }
.trouble strong { font: 600 14px/1.3 var(--mono); }
.trouble svg { width: 20px; height: 20px; flex: none; }
.mark { fill: none; stroke: var(--state); stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round; }
.facts { display: flex; flex-wrap: wrap; gap: 2px 18px; }
.facts div { display: flex; gap: 6px; }
.facts dt { color: var(--soft); }
.facts dd { font-variant-numeric: tabular-nums; font-weight: 600; }
.room { display: grid; grid-template-columns: minmax(0, 1fr) clamp(360px, 26vw, 480px); gap: 16px; align-items: start; }
.plate {
  position: relative;
  margin-bottom: 16px;
  padding: 14px 18px 18px;
  border: 1px solid var(--edge);
  border-radius: 12px;
  background:
    radial-gradient(circle at 50% 50%, var(--metal) 3.5px, var(--edge) 3.5px 4.5px, transparent 5px) 0 0 / 18px 18px no-repeat,
    radial-gradient(circle at 50% 50%, var(--metal) 3.5px, var(--edge) 3.5px 4.5px, transparent 5px) 100% 0 / 18px 18px no-repeat,
    radial-gradient(circle at 50% 50%, var(--metal) 3.5px, var(--edge) 3.5px 4.5px, transparent 5px) 0 100% / 18px 18px no-repeat,
    radial-gradient(circle at 50% 50%, var(--metal) 3.5px, var(--edge) 3.5px 4.5px, transparent 5px) 100% 100% / 18px 18px no-repeat,
    var(--plate);
  box-shadow: 0 1px 0 light-dark(#fff, #2c323a) inset, 0 2px 6px light-dark(#0000001f, #00000080);
}
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 16px; margin-bottom: 8px; min-height: 34px; }
h2 { font-size: 13px; letter-spacing: 0.09em; text-transform: uppercase; }
.bar button { margin-left: auto; }
.hint, .none { color: var(--soft); }
.none { padding: 8px 0; }
.more { margin-top: 12px; }
.more:has([hidden]) { display: none; }
footer { display: flex; flex-wrap: wrap; gap: 4px 28px; padding-top: 8px; padding-bottom: 28px; color: var(--soft); }
.paths { display: inline-flex; flex-wrap: wrap; gap: 2px 12px; }
[data-link="ended"] .plate .rail, [data-link="lost"] .plate .rail { filter: saturate(0.6); }
@media (max-width: 1100px) { .room { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 560px) {
  .door, main, footer { padding-left: 12px; padding-right: 12px; }
  .door { gap: 8px; }
  .door button { font-size: 13px; padding: 4px 8px; }
  .brand svg { display: none; }
  .plate { padding: 10px 12px 14px; }
}
@media (forced-colors: active) { .lamp, .indicator, .lever { forced-color-adjust: none; } }
@media print {
  :root, :root[data-theme] { color-scheme: light; }
  body { background: none; font-size: 12px; }
  .door button, .bar button, .search, .skip, .more { display: none; }
  .room { display: block; }
  .plate, .rail, .breaker { box-shadow: none; }
  .meter { position: static; }
  .feed, .trouble, .breaker pre { max-height: none; overflow: visible; }
  .breaker, .feed li, tr { break-inside: avoid; }
  .switch, .plate, .lamp { print-color-adjust: exact; }
}
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { animation: none !important; transition: none !important; } }
`;

export const STYLE = BASE + BREAKER_STYLE + LIST_STYLE;
