/** How the feed of calls and the tables look; on a phone a row is a card. @module */

export const LIST_STYLE = `
.meter { position: sticky; top: 12px; }
.feed { max-height: 620px; overflow-y: auto; font-size: 13px; }
.feed li { display: grid; grid-template-columns: auto 1em minmax(0, 1fr) auto; gap: 0 8px; padding: 4px 2px; border-bottom: 1px solid var(--edge); }
.feed time { color: var(--soft); font-weight: 400; font-variant-numeric: tabular-nums; white-space: nowrap; }
.feed .who { font-family: var(--mono); font-size: 12.5px; }
.feed .took { text-align: right; font-variant-numeric: tabular-nums; }
.feed .sign { font-weight: 700; text-align: center; }
.feed .how { grid-column: 3 / -1; color: var(--soft); }
.feed [data-kind="ok"] .sign { color: var(--on); }
.feed [data-kind="no"] :is(.sign, .how) { color: var(--trial); }
.feed :is([data-kind="lost"], [data-kind="trip"]) :is(.sign, .how) { color: var(--tripped); }
.feed [data-kind="state"] .sign { color: var(--starting); }
.feed :is([data-kind="trip"], [data-kind="state"]) .who { font-weight: 600; }
.feed li.fresh { animation: fresh 1.2s ease-out; }
@keyframes fresh { from { background: var(--starting-ground); } }
.search { display: flex; align-items: center; gap: 8px; flex: 0 1 420px; min-width: 0; }
.search label { flex: none; }
.search input { width: 100%; min-width: 0; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th { text-align: left; color: var(--soft); font-weight: 600; padding: 6px 12px 6px 0; border-bottom: 2px solid var(--edge); white-space: nowrap; }
td { padding: 7px 12px 7px 0; border-bottom: 1px solid var(--edge); vertical-align: top; }
td.name { font: 13px/1.5 var(--mono); }
@media (min-width: 761px) {
  #tool-rows td:first-child { width: 24%; }
  #tool-rows td:nth-child(3) { width: 15%; }
  #tool-rows td:nth-child(4) { width: 17%; }
  #name-rows td:nth-child(2) { width: 18%; }
}
td small { display: block; color: var(--soft); font-size: 13px; }
td .alias { color: var(--soft); }
td mark { background: var(--trial-ground); color: var(--ink); border-radius: 2px; }
.chip { display: inline-block; font-size: 12px; padding: 0 7px; margin: 0 4px 3px 0; border: 1px solid var(--soft); border-radius: 99px; color: var(--soft); white-space: nowrap; }
.stands::before { content: attr(data-sign) " "; font-weight: 700; }
.stands[data-state="offered"] { color: var(--on); }
.stands[data-state="denied"] { color: var(--soft); }
.stands[data-state="quarantined"] { color: var(--trial); }
.stands[data-state="held_back"] { color: var(--tripped); }
@media (max-width: 760px) {
  .meter { position: static; }
  .feed { max-height: 420px; }
  table, tbody, tr, td { display: block; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tr { padding: 8px 0; border-bottom: 1px solid var(--edge); }
  td { padding: 2px 0; border: 0; }
  td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); font: 13px system-ui, sans-serif; }
  td:empty { display: none; }
}
`;
