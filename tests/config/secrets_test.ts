import assert from "node:assert/strict";
import type { Reach } from "../../lib/config/config.ts";
import { configuredSecrets, type Reached, secretsIn, secretsOf } from "../../lib/config/secrets.ts";

const stdio = (env: Record<string, string> = {}, args: string[] = []): Reach => ({
  kind: "stdio",
  command: "server",
  args,
  env,
  inheritEnv: false,
});
const http = (headers: Record<string, string>, url = "https://t.example/mcp"): Reach => ({
  kind: "http",
  url,
  headers,
});
const RANDOM = "ghp_AbCdEf0123456789AbCdEf";

Deno.test("secretsOf() finds what is a secret by its name or by its look, wherever it stands", () => {
  const cases: [Reached, string[]][] = [
    [stdio({ NOTES_TOKEN: "tok-0123456789" }), ["tok-0123456789"]],
    [stdio({ GITHUB_PAT: "my words are it" }), ["my words are it"]],
    [stdio({ X: RANDOM }), [RANDOM]],
    [stdio({ DB: "postgres://me:hunter2-hunter2@db/x" }), ["hunter2-hunter2"]],
    [stdio({ DB: "postgres://me:p%40ss-word@db/x" }), ["p%40ss-word", "p@ss-word"]],
    [stdio({ HOOK: `https://hooks.example/services/${RANDOM}` }), [RANDOM]],
    [stdio({ DB: "Server=db; User=me; Password='quo;ted words'" }), ["quo;ted words"]],
    [stdio({ ACCOUNT: `{"id": "me-and-you", "private_key": "it's me here"}` }), ["it's me here"]],
    [stdio({}, ["--api-key", "arg-0123456789"]), ["arg-0123456789"]],
    [stdio({}, ["--password=pass-0123456789"]), ["pass-0123456789"]],
    [stdio({}, ["-e", "API_KEY=of-a-container"]), ["of-a-container"]],
    [stdio({}, ["--header", "Authorization: Bearer word-word-word"]), [
      "Bearer word-word-word",
      "word-word-word",
    ]],
    [stdio({}, ["-c", `curl -H 'X-Api-Key: key-0123456' -H "Authorization: Bearer ${RANDOM}" x`]), [
      "key-0123456",
      RANDOM,
    ]],
    [http({ Authorization: "Bearer abc-0123456789" }), ["Bearer abc-0123456789", "abc-0123456789"]],
    [http({ Authorization: `Basic ${btoa("me:swordfish1")}` }), [
      `Basic ${btoa("me:swordfish1")}`,
      btoa("me:swordfish1"),
      "swordfish1",
    ]],
    [http({}, "https://t.example/?api_key=url-0123456789"), ["url-0123456789"]],
    [
      stdio({
        KEY: `-----BEGIN KEY-----\n${"AbC1".repeat(16)}\n${
          "dEf2".repeat(4)
        }xyz=\n-----END KEY-----`,
      }),
      [
        `-----BEGIN KEY-----\n${"AbC1".repeat(16)}\n${"dEf2".repeat(4)}xyz=\n-----END KEY-----`,
        "AbC1".repeat(16),
        `${"dEf2".repeat(4)}xyz=`,
      ],
    ],
  ];
  for (const [reach, secrets] of cases) assert.deepEqual(secretsOf(reach), secrets);
});

Deno.test("secretsOf() takes no plain word, path or address for a secret", () => {
  const env = {
    NODE_ENV: "production",
    NOTES_DIR: "/home/me/notes0123456789abcdef",
    AUTH_METHOD: "client_secret_basic",
    TOKEN_URL: "https://login.example/oauth/token",
    SSH_KEY_FILE: "/home/me/.ssh/id_ed25519",
    SESSION_TIMEOUT: "1209600000",
    DEBUG: "true",
    GREETING: "say = something long; or = nothing",
  };
  const args = ["--root", "/home/me/projects/2026/notes", "https://example.com/a?page=12", "-y"];
  assert.deepEqual(secretsOf(stdio(env, args)), []);
  assert.deepEqual(secretsOf(http({ Accept: "application/json" })), []);
});

Deno.test("secretsOf() knows a short secret by sight, and any other by its name alone", () => {
  const of = (env: Record<string, string>, args: string[] = []) => secretsOf(stdio(env, args));
  for (const text of ["hunter2", "a1b2", "p@ss", "7f3a9c", "abc-1!"]) {
    assert.deepEqual(of({ DB_PASS: text }), [{ text }], text);
    assert.deepEqual(of({ DB: text }), []);
  }
  const words = ["short", "postgres", "true", "1234", "x", "v1.2", "30s", "HS256", "Required"];
  for (const text of words) {
    assert.deepEqual(of({ API_KEY: text }), [{ text, name: "API_KEY" }], text);
  }
  assert.deepEqual(of({}, ["--password", "admin"]), [{ text: "admin", name: "--password" }]);
  assert.deepEqual(of({}, ["--password=admin"]), [{ text: "admin", name: "password" }]);
  assert.deepEqual(of({ DB: "postgres://me:admin@db/x" }), ["me:admin@"]);
  assert.deepEqual(of({ DB: "Server=db;Password=admin" }), [{ text: "admin", name: "Password" }]);
  assert.deepEqual(secretsOf({ ...stdio(), command: "run --token tok-0123456" } as Reach), [
    "tok-0123456",
  ]);
});

Deno.test("secretsIn() finds what the lines of a file show, whether or not it can be parsed", () => {
  const found = secretsIn(`
servers: {
  a: { env: { MY_TOKEN: "tok-0123456", "key": 'p@ss' "x": *${RANDOM} } ],
  args: "--token=tok-abcdefg"
  url: https://me:url-0123456@host/
`);
  for (const it of ["tok-0123456", "tok-abcdefg", "url-0123456", RANDOM]) {
    assert(found.includes(it));
  }
  assert(found.some((it) => typeof it === "object" && it.text === "p@ss"));
});

Deno.test("configuredSecrets() resolves what is written, and looks at the variables that went into it", () => {
  const env = {
    GITHUB_TOKEN: "words-of-mine",
    HOME: "/home/me",
    OTHER_TOKEN: "never-mentioned",
    LANGUAGE: "german-and-english",
  };
  const of = (reach: Reach) => configuredSecrets([{ reach }], env);
  assert.deepEqual(of(stdio({ X: "${GITHUB_TOKEN} ${LANGUAGE}" })), ["words-of-mine"]);
  assert.deepEqual(of(stdio({}, ["run", "${GITHUB_TOKEN}"])), ["words-of-mine"]);
  assert.deepEqual(of({ ...stdio(), cwd: "~/${GITHUB_TOKEN}" } as Reach), ["words-of-mine"]);
  assert.deepEqual(of(http({}, "https://x.example/${GITHUB_TOKEN}")), ["words-of-mine"]);
  assert.deepEqual(of(stdio({ MY_KEY: "${UNSET}${UNSET_TOO:-a-default}" })), ["a-default"]);
  assert.deepEqual(of(stdio({ MY_KEY: "a-secret-word", X: "${input:token}" })), ["a-secret-word"]);
});

Deno.test("configuredSecrets() looks at the whole environment of a server that inherits it", () => {
  const env = { OTHER_TOKEN: "never-mentioned", HTTPS_PROXY: "http://me:proxy-word@proxy:3128" };
  assert.deepEqual(configuredSecrets([{ reach: stdio() }], env), ["proxy-word"]);
  const reach = { ...stdio(), inheritEnv: true } as Reach;
  assert.deepEqual(configuredSecrets([{ reach }], env), ["never-mentioned", "proxy-word"]);
});

Deno.test("configuredSecrets() takes no more than can be looked for", () => {
  const of = (count: number) => {
    const env = Array.from({ length: count }, (_, n) => [`TOKEN_${n}`, `tok-${n}-of-mine`]);
    return configuredSecrets([{ reach: stdio(Object.fromEntries(env)) }], {});
  };
  assert.equal(of(300).length, 300);
  assert.throws(() => of(301), /301 of its values look like secrets/);
});
