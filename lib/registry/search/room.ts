/** How much of a model's context a line takes, roughly and never less than it does. @module */

/** Text as models count it: a word is one or two, a sign is one, other scripts cost more. */
export function roomOf(text: string): number {
  let room = 0;
  for (const [run] of text.matchAll(/[A-Za-z]+|[0-9]+|[ \n]+|[^A-Za-z0-9 \n]/gu)) {
    const code = run.codePointAt(0)!;
    if (code === 0x20 || code === 0x0a) room += run.length > 1 || code === 0x0a ? 1 : 0;
    else if (code >= 0x30 && code <= 0x39) room += Math.ceil(run.length / 3);
    else if (code < 0x80) room += /^[A-Za-z]/.test(run) ? Math.max(1, run.length / 6) : 0.8;
    else room += code < 0x2e80 ? 0.9 : code < 0x10000 ? 1.3 : 3;
  }
  return room;
}
