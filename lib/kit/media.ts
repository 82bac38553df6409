/** Bytes that strangers send in Base64: what they are by their first bytes, for names and labels lie. @module */

/** Bytes that are what their type says, as far as that can be seen from where they begin. */
export interface Media {
  /** Lower case, without parameters. */
  mimeType: string;
  /** Base64 of the usual alphabet, padded. */
  data: string;
  bytes: Uint8Array<ArrayBuffer>;
}

interface Kind {
  mimeType: string;
  /** Of files that hold it; ours, never a server's. */
  extension: string;
  /** What stands at which byte; several where one place does not tell. */
  magic?: readonly [at: number, bytes: string][];
}

const KINDS: readonly Kind[] = [
  { mimeType: "image/png", extension: "png", magic: [[0, "\x89PNG\r\n"]] },
  { mimeType: "image/jpeg", extension: "jpg", magic: [[0, "\xff\xd8\xff"]] },
  { mimeType: "image/gif", extension: "gif", magic: [[0, "GIF8"]] },
  { mimeType: "image/webp", extension: "webp", magic: [[0, "RIFF"], [8, "WEBP"]] },
  { mimeType: "image/heic", extension: "heic", magic: [[4, "ftypheic"]] },
  { mimeType: "image/heif", extension: "heif", magic: [[4, "ftypmif1"]] },
  { mimeType: "image/avif", extension: "avif", magic: [[4, "ftypavif"]] },
  { mimeType: "image/tiff", extension: "tif", magic: [[0, "II*\0"]] },
  { mimeType: "image/tiff", extension: "tif", magic: [[0, "MM\0*"]] },
  { mimeType: "image/bmp", extension: "bmp", magic: [[0, "BM"], [6, "\0\0\0\0"]] },
  { mimeType: "application/pdf", extension: "pdf", magic: [[0, "%PDF-"]] },
  { mimeType: "audio/wav", extension: "wav", magic: [[0, "RIFF"], [8, "WAVE"]] },
  { mimeType: "audio/mpeg", extension: "mp3", magic: [[0, "ID3"]] },
  { mimeType: "audio/ogg", extension: "ogg", magic: [[0, "OggS"]] },
  { mimeType: "audio/flac", extension: "flac", magic: [[0, "fLaC"]] },
  { mimeType: "audio/aiff", extension: "aiff", magic: [[0, "FORM"], [8, "AIFF"]] },
  { mimeType: "audio/mp3", extension: "mp3" },
  { mimeType: "audio/aac", extension: "aac" },
  { mimeType: "audio/mp4", extension: "m4a" },
  { mimeType: "audio/webm", extension: "weba" },
  { mimeType: "video/mp4", extension: "mp4" },
  { mimeType: "video/webm", extension: "webm" },
  { mimeType: "image/svg+xml", extension: "svg" },
  { mimeType: "application/zip", extension: "zip" },
  { mimeType: "application/json", extension: "json" },
  { mimeType: "text/plain", extension: "txt" },
  { mimeType: "text/csv", extension: "csv" },
];
/** What nearly all model APIs take, of images and documents. Files of these always begin as they should. */
const COMMON: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "application/pdf",
]);
const UNKNOWN = "application/octet-stream";

/**
 * What `data` holds; what it begins with beats what it is `said` to be.
 * @returns why it is nothing of the kind, to follow its type
 */
export function readMedia(data: string, said: unknown): Media | { mimeType: string; why: string } {
  const labelled = /^data:([^,;]{1,100})?(?:;[^,]{0,100})?;base64,/i.exec(data.slice(0, 300));
  const mimeType = plainType(said ?? labelled?.[1]);
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    const digits = labelled ? data.slice(labelled[0].length) : data;
    bytes = Uint8Array.fromBase64(digits, {
      alphabet: /[-_]/.test(digits) ? "base64url" : "base64",
    });
  } catch {
    return { mimeType, why: "its Base64 can't be decoded" };
  }
  if (bytes.length === 0) return { mimeType, why: "it is empty" };
  const seen = kindOf(bytes)?.mimeType;
  if (seen === undefined && COMMON.has(mimeType)) {
    return { mimeType, why: "it does not begin like one" };
  }
  return { mimeType: seen ?? mimeType, data: bytes.toBase64(), bytes };
}

/** The type by what stands at the beginning. */
function kindOf(bytes: Uint8Array): Kind | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 32));
  return KINDS.find(({ magic }) => magic?.every(([at, text]) => start.startsWith(text, at)));
}

/** One of {@linkcode COMMON} by its first bytes; undefined for all else. */
export function commonType(bytes: Uint8Array): string | undefined {
  const type = kindOf(bytes)?.mimeType;
  return type !== undefined && COMMON.has(type) ? type : undefined;
}

/** `bin` for a type that is not on our list: no server chooses how its file is opened. */
export function extensionOf(mimeType: string): string {
  return KINDS.find((kind) => kind.mimeType === mimeType)?.extension ?? "bin";
}

/** A type as it may stand in a sentence. */
function plainType(said: unknown): string {
  if (typeof said !== "string") return UNKNOWN;
  const type = said.split(";")[0]!.trim().toLowerCase();
  if (type === "image/jpg") return "image/jpeg";
  return /^[a-z0-9]+\/[a-z0-9][a-z0-9.+-]{0,60}$/.test(type) ? type : UNKNOWN;
}
