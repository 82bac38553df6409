/** Digests as hex: plain ones to compare, keyed ones that nobody else can make. @module */

const encoder = new TextEncoder();

export async function sha256(of: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof of === "string" ? encoder.encode(of) : of;
  return hex(await crypto.subtle.digest("SHA-256", bytes));
}

/** HMAC-SHA-256 of `text` under `secret`. */
export async function hmac(secret: string, text: string): Promise<string> {
  // A key of no bytes is refused by the platform; this one never is.
  const bytes = encoder.encode(`fusebox\0${secret}`);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  return hex(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
}

function hex(digest: ArrayBuffer): string {
  return new Uint8Array(digest).toHex();
}
