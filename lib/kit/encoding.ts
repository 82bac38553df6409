/** Bytes as the text that somebody wrote: UTF-8, or UTF-16 where its mark says so. @module */

/** Undefined where any byte is not of the encoding. Marks of byte order are no part of the text. */
export function exactText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The same with what can't be read replaced, for a stray byte is no reason to refuse a page. Undefined
 * where there are zeros among such bytes: that is an image, an archive, a program.
 */
export function someText(bytes: Uint8Array): string | undefined {
  return exactText(bytes) ??
    (bytes.includes(0) ? undefined : new TextDecoder(encodingOf(bytes)).decode(bytes));
}

/** UTF-16 is what Windows writes where output is sent into a file; no line of it is without a zero. */
function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  if (!(isLittle || isBig) || !bytes.includes(0)) return "utf-8";
  return isLittle ? "utf-16le" : "utf-16be";
}
