/** The status page: one document that needs nothing but itself. @module */
import { markup } from "./page/markup.ts";
import { SCRIPT } from "./page/script.ts";
import { STYLE } from "./page/style.ts";

export interface Page {
  html: string;
  /** The Content-Security-Policy it needs: these very bytes of script and style, and nothing else. */
  policy: string;
}

/** The same bytes for everybody: it holds nothing of a run, and asks for all that it shows. */
export async function statusPage(): Promise<Page> {
  const [script, style] = await Promise.all([digest(SCRIPT), digest(STYLE)]);
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${script}'`,
    `style-src 'sha256-${style}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return { html: markup(STYLE, SCRIPT), policy };
}

async function digest(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toBase64();
}
