/** Whether every model API can compile a regular expression. @module */

const MAX_LENGTH = 500;

/**
 * APIs compile `pattern` with Python, Rust or Go: no lookaround, back-references, named groups or
 * `\p{…}`, and no escapes that only some of them know.
 */
export function isPortable(pattern: string): boolean {
  const bare = pattern.replace(/\\./gs, "");
  if (pattern.length > MAX_LENGTH || /\(\?(?!:)|\[\^?\]/.test(bare)) return false;
  for (const [, escaped] of pattern.matchAll(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^])/g)) {
    if (/^[a-zA-Z0-9]$/.test(escaped!) && !/[dDwWsSbBtnrfv]/.test(escaped!)) return false;
  }
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}
