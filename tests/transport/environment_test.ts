import assert from "node:assert/strict";
import { serverEnvironment } from "../../lib/transport/environment.ts";

const OURS = {
  HOME: "/home/a",
  PATH: "/bin",
  LANG: "de_DE.UTF-8",
  LC_TIME: "C",
  XDG_CACHE_HOME: "/c",
  https_proxy: "http://proxy",
  SSL_CERT_FILE: "/ca.pem",
  SHELL: "() { :; }; echo gotcha",
  AWS_SECRET_ACCESS_KEY: "secret",
  ANTHROPIC_API_KEY: "secret",
  LCX: "no",
  Path: "other",
};

Deno.test("serverEnvironment() passes the allow-list and what is configured, and no secret of ours", () => {
  const seen = serverEnvironment(OURS, { TOKEN: "t", HOME: "/own" }, {
    inherit: false,
    platform: "linux",
  });
  assert.deepEqual(seen, {
    HOME: "/own",
    PATH: "/bin",
    LANG: "de_DE.UTF-8",
    LC_TIME: "C",
    XDG_CACHE_HOME: "/c",
    https_proxy: "http://proxy",
    SSL_CERT_FILE: "/ca.pem",
    TOKEN: "t",
  });
});

Deno.test("serverEnvironment() passes everything when it is to be inherited", () => {
  const ours = { ...OURS, FUSEBOX_STATUS_TOKEN: "what opens our own page" };
  const seen = serverEnvironment(ours, { A: "1" }, { inherit: true, platform: "linux" });
  assert.deepEqual(seen, { ...OURS, A: "1" });
});

Deno.test("serverEnvironment() knows the names of Windows, in any case", () => {
  const ours = { Path: "C:\\bin", SystemRoot: "C:\\Windows", SECRET: "s" };
  assert.deepEqual(serverEnvironment(ours, {}, { inherit: false, platform: "windows" }), {
    Path: "C:\\bin",
    SystemRoot: "C:\\Windows",
  });
});
