/** What strangers and the configuration say, as it may be shown: on one line, cut, and without secrets. @module */
import { cut, printableLine } from "../kit/printable.ts";
import type { StatusView } from "./view.ts";

/** What is looked at of a text, for each character of it that is shown: the rest may be invisible. */
const LOOKED_AT = 4;

/** At most `max` characters. However long the text is, it costs no more than a few times that. */
export function said(text: string, max: number, view: Pick<StatusView, "redact">): string {
  const whole = text.length > max * LOOKED_AT ? cut(text, max * LOOKED_AT) + "…" : text;
  return printableLine(view.redact(whole), max);
}
