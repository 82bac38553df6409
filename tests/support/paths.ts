/** Where things are, on every system. @module */
import { fileURLToPath } from "node:url";

export function fromFileUrl(url: URL): string {
  return fileURLToPath(url);
}

/** The folder of the project, with a separator at its end. */
export const ROOT = fromFileUrl(new URL("../../", import.meta.url));
