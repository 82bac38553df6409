/** How a circuit looks: a switch on a rail, told by colour, by shape and in words. @module */

export const BREAKER_STYLE = `
.rail {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(212px, 1fr));
  gap: 14px 12px;
  padding: 14px 12px;
  border-radius: 8px;
  background: var(--slot);
  border: 1px solid var(--edge);
  box-shadow: 0 2px 6px light-dark(#00000033, #000) inset;
  overflow: clip;
}
.breaker {
  --bus: 80px;
  scroll-margin: 16px;
  position: relative;
  min-width: 0;
  display: flex;
  flex-direction: column;
  gap: 10px;
  padding: 10px 12px 12px;
  border: 1px solid var(--edge);
  border-top: 6px solid var(--state);
  border-radius: 8px;
  background: var(--body);
  box-shadow: 0 2px 5px light-dark(#0000002b, #00000099);
}
.breaker::before, .breaker::after {
  content: "";
  position: absolute;
  top: var(--bus);
  width: 13px;
  height: 44px;
  background: linear-gradient(to bottom, var(--edge) 5px, var(--metal) 5px, var(--plate) 20px, var(--metal) 39px, var(--edge) 39px);
}
.breaker::before { right: 100%; }
.breaker::after { left: 100%; }
.breaker:last-child::after { width: 100vw; }
[data-look] { --state: var(--resting); --ground: var(--resting-ground); }
[data-look="on"] { --state: var(--on); --ground: var(--on-ground); }
[data-look="probation"] { --state: var(--on); --ground: var(--trial-ground); }
[data-look="tripped"] { --state: var(--tripped); --ground: var(--tripped-ground); }
[data-look="offline"] { --state: var(--tripped); --ground: var(--resting-ground); }
[data-look="trial"] { --state: var(--trial); --ground: var(--trial-ground); }
[data-look="starting"] { --state: var(--starting); --ground: var(--starting-ground); }
.breaker[data-look="probation"], .breaker[data-look="trial"], .breaker[data-look="starting"] { border-top-style: dashed; }
.breaker[data-look="tripped"] { border-top-style: double; }
.breaker[data-look="offline"] { border-top-style: dotted; }
.breaker:target, .breaker:focus { outline: 3px solid var(--focus); outline-offset: 2px; }
.breaker header { display: flex; align-items: baseline; gap: 8px; line-height: 22px; }
.breaker h3 { font: 600 16px/1.3 var(--mono); min-width: 0; }
.number { flex: none; font: 600 12px/1 var(--mono); color: var(--soft); }
.tag { margin-left: auto; font-size: 12px; padding: 0 7px; line-height: 18px; border: 1px solid var(--soft); border-radius: 99px; color: var(--soft); }
.face { display: grid; grid-template-columns: 74px minmax(0, 1fr); gap: 12px; align-items: center; }
.switch { width: 74px; height: 124px; display: block; }
.switch .case { fill: var(--plate); stroke: var(--edge); }
.switch .slot { fill: var(--slot); stroke: var(--edge); }
.switch .indicator { fill: var(--ground); stroke: var(--state); stroke-width: 2; }
.switch .ends { fill: none; stroke: var(--soft); stroke-width: 2; stroke-linecap: round; }
.switch .lever { transition: transform 0.28s cubic-bezier(0.3, 1.7, 0.5, 1); transform: translateY(17px); }
.switch .grip { fill: var(--lever); }
.switch .shine { fill: light-dark(#ffffff38, #ffffff66); }
.switch .shade { fill: #00000038; }
.switch .groove { stroke: light-dark(#ffffff90, #00000090); stroke-width: 1.6; }
[data-look="on"] .lever, [data-look="probation"] .lever { transform: none; }
[data-look="tripped"] .lever, [data-look="offline"] .lever, [data-look="disabled"] .lever { transform: translateY(34px); }
[data-look="on"] .grip, [data-look="probation"] .grip { fill: var(--on); }
[data-look="tripped"] .grip { fill: var(--tripped); }
.state { font-size: 18px; font-weight: 700; line-height: 1.15; color: var(--state); overflow-wrap: normal; }
.since { color: var(--soft); font-size: 13px; font-variant-numeric: tabular-nums; }
.next { font-size: 13px; font-weight: 600; font-variant-numeric: tabular-nums; }
.spark { display: block; width: 100%; height: 38px; flex: none; margin-top: auto; border-radius: 4px; background: var(--plate); border: 1px solid var(--edge); }
.spark.idle { visibility: hidden; }
.rail:has([open]) .spark { margin-top: 0; }
.spark polyline { fill: none; stroke: var(--ink); stroke-width: 1.5; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.spark circle { fill: var(--ink); }
.spark path { stroke: var(--tripped); stroke-width: 2; vector-effect: non-scaling-stroke; }
.figures { font-size: 13px; color: var(--soft); font-variant-numeric: tabular-nums; }
.why { font-size: 13px; padding: 6px 8px; border-radius: 6px; background: var(--ground); border-left: 4px solid var(--state); }
.why code { font-weight: 700; }
.breaker details { font-size: 13px; }
.breaker summary { cursor: pointer; padding: 3px 0; color: var(--soft); }
.breaker details dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 10px; margin: 4px 0; }
.breaker details dl div { display: contents; }
.breaker details dt { color: var(--soft); }
.breaker pre { margin: 6px 0 0; padding: 8px; max-height: 160px; overflow: auto; white-space: pre-wrap; font: 12px/1.4 var(--mono); background: var(--plate); border: 1px solid var(--edge); border-radius: 4px; }
.breaker.moved { animation: moved 0.7s ease-out; }
.breaker.moved[data-look="tripped"] { animation: tripped 0.5s ease-out; }
[data-look="starting"] .indicator, [data-look="trial"] .indicator { animation: waiting 1.2s ease-in-out infinite; }
@keyframes moved { from { box-shadow: 0 0 0 5px var(--state); } }
@keyframes tripped { 0% { box-shadow: 0 0 0 6px var(--state); transform: none; } 15% { transform: translateX(-4px); } 35% { transform: translateX(4px); } 55% { transform: translateX(-2px); } 100% { transform: none; } }
@keyframes waiting { 50% { opacity: 0.45; } }
/* Many of them, or a phone: the same, smaller. */
[data-many="true"] { grid-template-columns: repeat(auto-fill, minmax(176px, 1fr)); gap: 10px 8px; padding: 10px 8px; }
[data-many="true"] .breaker { --bus: 52px; gap: 6px; padding: 6px 10px 8px; }
[data-many="true"] .breaker::before, [data-many="true"] .breaker::after { height: 28px; background-size: 100% 28px; }
[data-many="true"] .face { grid-template-columns: 44px minmax(0, 1fr); gap: 10px; }
[data-many="true"] .switch { width: 44px; height: 74px; }
[data-many="true"] .breaker h3 { font-size: 14px; }
[data-many="true"] .state { font-size: 16px; }
[data-many="true"] .why { font-size: 12px; padding: 0 6px; border-block: 4px solid transparent; overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; }
[data-many="true"] .spark { height: 24px; }
[data-many="true"] .figures { font-size: 12px; }
@media (max-width: 560px) {
  .rail { grid-template-columns: minmax(0, 1fr); padding: 8px; }
  .breaker::before, .breaker::after { display: none; }
  .face { grid-template-columns: 44px minmax(0, 1fr); }
  .switch { width: 44px; height: 74px; }
  .spark.idle { display: none; }
}
`;
