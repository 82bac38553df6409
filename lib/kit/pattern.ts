/** Patterns over tools: `*` for any run of characters, `alias.tool` for a tool of a server. @module */

/** Whether all of `text` matches; every character but `*` stands for itself. Never backtracks. */
export function matches(pattern: string, text: string): boolean {
  const [head = "", ...parts] = pattern.split("*");
  if (parts.length === 0) return text === pattern;
  const tail = parts.pop()!;
  if (text.length < head.length + tail.length) return false;
  if (!text.startsWith(head) || !text.endsWith(tail)) return false;
  const end = text.length - tail.length;
  let at = head.length;
  // The first place where a part fits leaves most room for the rest, so no other need be tried.
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

export interface ToolPattern {
  alias: string;
  tool: string;
}

/**
 * `notes.delete_*` by its first dot, for an alias has none; `notes` alone means `notes.*`.
 * Undefined when there is nothing on one side of the dot.
 */
export function parseToolPattern(text: string): ToolPattern | undefined {
  const dot = text.indexOf(".");
  const alias = dot < 0 ? text : text.slice(0, dot);
  const tool = dot < 0 ? "*" : text.slice(dot + 1);
  return alias && tool && !/\s/.test(alias) ? { alias, tool } : undefined;
}

/** Whether one of the `alias.tool` patterns means this tool, by its raw name. */
export function covers(patterns: readonly string[], alias: string, tool: string): boolean {
  return patterns.some((text) => {
    const pattern = parseToolPattern(text);
    return pattern !== undefined && matches(pattern.alias, alias) && matches(pattern.tool, tool);
  });
}
