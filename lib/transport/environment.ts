/** What a server may see of our environment: an allow-list, because tokens live there. @module */

const POSIX = [
  "HOME",
  "PATH",
  "USER",
  "LOGNAME",
  "SHELL",
  "TERM",
  "LANG",
  "TMPDIR",
];
const WINDOWS = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "NUMBER_OF_PROCESSORS",
  "OS",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];
/** Without these, a server behind a company's proxy starts and then reaches nobody. */
const NETWORK = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "DENO_CERT",
  "DENO_TLS_CA_STORE",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
];
const PREFIXES = ["LC_", "XDG_"];
/** Opens what fusebox itself serves: no server needs it, though it inherits all else. */
const OURS = ["FUSEBOX_STATUS_TOKEN"];

export interface EnvironmentOptions {
  /** Hands over everything, because the user said so. */
  inherit: boolean;
  /** `Deno.build.os`, or alike. */
  platform: string;
}

/** The whole environment of a server: what it may see of `ours`, and what is `configured` for it. */
export function serverEnvironment(
  ours: Readonly<Record<string, string>>,
  configured: Readonly<Record<string, string>>,
  options: EnvironmentOptions,
): Record<string, string> {
  const windows = options.platform === "windows";
  const names = new Set([...(windows ? WINDOWS : POSIX), ...NETWORK]);
  const passes = (name: string) => {
    const key = windows ? name.toUpperCase() : name;
    // Proxy variables are read in lower case too.
    return names.has(key) || NETWORK.includes(key.toUpperCase()) ||
      PREFIXES.some((prefix) => key.startsWith(prefix));
  };
  const seen = Object.entries(ours).filter(([name, value]) =>
    !OURS.includes(name) &&
    // A value that starts with "()" is an exported shell function, and was once an exploit.
    (options.inherit || (passes(name) && !value.startsWith("()")))
  );
  return { ...Object.fromEntries(seen), ...configured };
}
