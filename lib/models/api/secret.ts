/** Keys stay out of every sentence, also when an API repeats them to us. @module */
import { Secrets } from "../../kit/secrets.ts";
import { ModelError } from "../model.ts";
import { TryError } from "./retries.ts";

export type Hide = (text: string) => string;

const SECRET_HEADERS = /auth|key|token|secret|cookie/i;
/** What is shorter is no key, and may well be a word. */
const SHORTEST = 6;

/** The key, and what headers like `authorization` hold. */
function keysIn(
  key: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): readonly string[] {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    SECRET_HEADERS.test(name) ? [value, value.replace(/^\S+\s+/, "")] : []
  );
  return [...(key === undefined ? [] : [key]), ...values].filter((it) => it.length >= SHORTEST);
}

/** Takes {@linkcode keysIn} these out of a text. */
export function hider(...of: Parameters<typeof keysIn>): Hide {
  const secrets = new Secrets(keysIn(...of), "[key]");
  return (text) => secrets.hide(text);
}

/** The same error without secrets; what caused it goes when it may hold one. */
export function hidden(error: unknown, hide: Hide): unknown {
  if (!(error instanceof ModelError)) return error;
  const { status, retryable } = error;
  const message = hide(error.message);
  const hint = error.hint === undefined ? undefined : hide(error.hint);
  if (message === error.message && hint === error.hint) return error;
  const failure = { message, retryable, ...(hint !== undefined && { hint }) };
  if (!(error instanceof TryError)) return new ModelError(message, { status, ...failure });
  const { brief, retryAfterMs, tool, retries } = error;
  return new TryError(brief, {
    ...failure,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(tool !== undefined && { tool }),
  }, { status, ...(retries !== undefined && { retries }) });
}
