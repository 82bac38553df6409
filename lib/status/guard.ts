/** Who may look: a request is refused before anything is read for it. @module */

export interface Rules {
  /** The host we were bound to, as the user named it. */
  host: string;
  /** What `Authorization: Bearer …` must say; without one nobody is asked. */
  token?: string;
}

export interface Refusal {
  status: 401 | 403 | 405;
  /** One line: what could not be done, then why. */
  why: string;
}

/**
 * Only looking is possible (GET, HEAD), only under a name of ours (a stranger's name that points here
 * is DNS rebinding), never on behalf of another site, and with the token where there is one.
 */
export function refusal(request: Request, rules: Rules): Refusal | undefined {
  const { method, headers, url } = request;
  if (method !== "GET" && method !== "HEAD") {
    return { status: 405, why: `Cannot ${shown(method)}: this page can only be looked at` };
  }
  const host = headers.get("host") ?? new URL(url).host;
  if (!isOurs(host, rules.host)) {
    return {
      status: 403,
      why: `Cannot answer for the host ${shown(host)}: use the address that fusebox printed, ` +
        "or name it with --status-host",
    };
  }
  if (isForeign(headers, host)) {
    return { status: 403, why: "Cannot answer another site's page: open the address itself" };
  }
  if (rules.token !== undefined && !knows(headers.get("authorization"), rules.token)) {
    return { status: 401, why: "Cannot show anything without the token of this page" };
  }
}

/** The port is not looked at: tunnels and containers map it, and no attack is stopped by it. */
function isOurs(host: string, bound: string): boolean {
  const name = nameOf(host);
  if (name === undefined) return false;
  if (isLoopback(name) || name === nameOf(bound)) return true;
  // Bound to the network, it has addresses that we don't know. An address can't be rebound to us.
  return !isLoopback(bound) && isAddress(name);
}

/** This machine alone: what `127.0.0.1`, `::1` and `localhost` mean. */
export function isLoopback(host: string): boolean {
  const name = nameOf(host);
  return name === "localhost" || name === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(name ?? "");
}

function isAddress(name: string): boolean {
  return name.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(name);
}

/** As a URL has it, without its port: in lower case, an IPv6 address in brackets. */
function nameOf(host: string): string | undefined {
  const text = /^[\da-f]*:[\da-f:.]*$/i.test(host) ? `[${host}]` : host;
  if (!/^[\w.:[\]-]+$/.test(text)) return undefined;
  return URL.parse(`http://${text}/`)?.hostname;
}

function isForeign(headers: Headers, host: string): boolean {
  const origin = headers.get("origin");
  if (origin !== null && URL.parse(origin)?.host !== URL.parse(`http://${host}/`)?.host) {
    return true;
  }
  const site = headers.get("sec-fetch-site");
  // A link that leads here is followed by a person, and the page they left can't read what comes.
  if (site === null || headers.get("sec-fetch-mode") === "navigate") return false;
  return site !== "same-origin" && site !== "none";
}

/** Takes as long for a guess that is nearly right as for one that is all wrong. */
function knows(authorization: string | null, token: string): boolean {
  const said = /^bearer +(.*)$/i.exec(authorization ?? "")?.[1] ?? "";
  let difference = said.length ^ token.length;
  for (let at = 0; at < token.length; at++) {
    difference |= token.charCodeAt(at) ^ (said.charCodeAt(at) || 0);
  }
  return difference === 0;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
