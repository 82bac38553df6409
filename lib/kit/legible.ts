/** A stranger's text for a model: data as it is, but for what no honest text needs. @module */

export interface Legible {
  text: string;
  /** Characters that were taken out because they hide from the eye and still reach a model. */
  hidden: number;
}

/** Escape sequences as a whole, in their forms of seven and of eight bits. One without an end is none. */
const SEQUENCE =
  // deno-lint-ignore no-control-regex -- ESC, BEL and the C1 introducers open and close these sequences
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f]{0,4096}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** C0 and C1 but for tab, the breaks of lines and pages, and carriage return; marks of byte order. */
// deno-lint-ignore no-control-regex -- finding control characters is the point
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufff9-\ufffb\ufeff]/g;

/**
 * Characters that write what only a machine reads: tags beside a flag's, a second variation selector
 * on one character and those of the supplement behind anything but Han, three in a row of whatever is
 * shown as nothing, invisible operators, overrides of direction. What languages and emoji need stays:
 * joiners, one selector, marks and isolates of direction.
 */
const HIDDEN =
  /(?<flag>\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f})|[\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]|(?<=[\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|(?<!\p{Script=Han})[\u{e0100}-\u{e01ef}]|(?:(?![\u202a-\u202e\u2066-\u2069\ufe00-\ufe0f\u{e0000}-\u{e0fff}])\p{Default_Ignorable_Code_Point}){3,}|[\u2061-\u2064\u206a-\u206f\u202d\u202e]/gu;

/** The same text without escape sequences, controls and characters that hide; the rest is untouched. */
export function legible(text: string): Legible {
  const plain = text.toWellFormed().replace(SEQUENCE, "").replace(CONTROLS, "");
  let hidden = 0;
  const shown = plain.replace(HIDDEN, (found, flag) => {
    if (flag !== undefined) return found;
    hidden += [...found].length;
    return "";
  });
  return { text: shown, hidden };
}
