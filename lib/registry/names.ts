/** `alias` + `tool` → one name that every model API accepts. @module */

/** A tool by the user's name for its server and the server's name for it. */
export interface ToolRef {
  alias: string;
  /** The raw name, as the server wrote it. */
  tool: string;
}

const MAX_LENGTH = 64;
const HASH_LENGTH = 12;

/**
 * The name a model sees: `mcp__<alias>__<tool>`, matching `^[A-Za-z0-9_-]{1,64}$`. It depends on
 * nothing but the tool itself, so it stays the same when other servers come and go: transcripts and
 * prompt caches rely on it. A name that had to be altered ends in 12 hex digits of a SHA-256.
 */
export async function publicName({ alias, tool }: ToolRef): Promise<string> {
  const prefix = `mcp__${alias}__`;
  const safe = tool.replace(/[^A-Za-z0-9_-]/gu, "_");
  if (safe === tool && prefix.length + safe.length <= MAX_LENGTH) return prefix + safe;
  return (prefix + safe).slice(0, MAX_LENGTH - HASH_LENGTH - 1) + "_" + await hash(alias, tool);
}

async function hash(alias: string, tool: string): Promise<string> {
  // UTF-8 has no lone surrogates; written as escapes, two names that differ in one stay two.
  const raw = tool.isWellFormed() ? tool : JSON.stringify(tool);
  const bytes = new TextEncoder().encode(`${alias}\0${raw}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return digest.toHex().slice(0, HASH_LENGTH);
}
