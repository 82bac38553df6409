/** `OLLAMA_HOST` in all the forms that ollama itself reads. @module */

const PORT = "11434";

/**
 * `host`, `:port`, `host:port`, `[::1]:port`, `http://…`, `https://…/path` as a URL without a slash at
 * its end. A scheme brings its own port along. Where a server listens on all addresses, it is asked on
 * its own machine. What can't be read comes back as it is.
 * @see https://github.com/ollama/ollama/blob/main/envconfig/config.go
 */
export function ollamaUrl(value: string): string {
  const text = value.trim().replace(/^["']|["']$/g, "").trim().replace(/\/+$/, "");
  const [, scheme, rest = ""] = /^(?:([a-z]+):\/\/)?(.*)$/i.exec(text)!;
  const [, authority = "", path = ""] = /^([^/]*)(.*)$/.exec(rest)!;
  // An address of IPv6 without brackets has no port.
  const isBare = authority.split(":").length > 2 && !authority.includes("[");
  const [, host = "", port] = isBare
    ? [authority, `[${authority}]`]
    : /^(.*?)(?::(\d+))?$/.exec(authority)!;
  const at = `${here(host)}${port === undefined ? scheme ? "" : `:${PORT}` : `:${port}`}`;
  return `${scheme?.toLowerCase() ?? "http"}://${at}${path}`;
}

function here(host: string): string {
  if (host === "" || host === "0.0.0.0") return "127.0.0.1";
  return host === "[::]" ? "[::1]" : host;
}
