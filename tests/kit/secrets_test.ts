import assert from "node:assert/strict";
import { Secrets } from "../../lib/kit/secrets.ts";
import { cut, printableLine } from "../../lib/kit/printable.ts";

const SECRET = 'p@ss/w+rd "x" \\ ü€😀 = 42';
const base64 = (text: string) => new TextEncoder().encode(text).toBase64();

Deno.test("hide() finds a secret as it is, in JSON, in JSON within JSON, in a URL, in base64 and in hexadecimal", () => {
  const secrets = new Secrets([SECRET]);
  const once = JSON.stringify({ token: SECRET });
  const ascii = once.replace(
    /[^ -~]/g,
    (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"),
  );
  const forms = [
    SECRET,
    once,
    JSON.stringify(once),
    JSON.stringify([JSON.stringify(once)]),
    ascii,
    ascii.replaceAll("/", "\\/"),
    once.replaceAll("+", "\\u002B").replaceAll("=", "\\u003d"),
    encodeURIComponent(SECRET),
    encodeURIComponent(SECRET).toLowerCase(),
    new URLSearchParams({ token: SECRET }).toString(),
    new TextEncoder().encode(SECRET).toHex(),
    new TextEncoder().encode(SECRET).toHex().toUpperCase(),
    ...["", "a", "ab", "user:"].flatMap((before) => [
      base64(before + SECRET + "behind"),
      base64(before + SECRET).replaceAll("+", "-").replaceAll("/", "_"),
    ]),
  ];
  for (const form of forms) {
    const said = `before ${form} behind`;
    const hidden = secrets.hide(said);
    assert.match(hidden, /^before .*\[hidden\].* behind$/, form);
    assert(!hidden.includes("rd"), hidden);
    assert(hidden.length < said.length, hidden);
  }
  assert.equal(secrets.hide(`${SECRET}, ${SECRET}`), "[hidden], [hidden]");
});

Deno.test("hide() finds the longer of two secrets where one holds the other, in any order", () => {
  for (const order of [["secret-1", "secret-1-long"], ["secret-1-long", "secret-1"]]) {
    const secrets = new Secrets(order, "[key]");
    assert.equal(secrets.hide("secret-1-long secret-1"), "[key] [key]");
  }
});

Deno.test("hide() finds the beginning of a secret where a text was cut, however little was left of it", () => {
  const secret = "sk-0123456789abcdef" + "x".repeat(200);
  const secrets = new Secrets([secret]);
  for (let shown = 6; shown < secret.length; shown += 7) {
    const line = printableLine(`the key is ${secret}`, 11 + shown + 1);
    assert.equal(secrets.hide(line), "the key is [hidden]…", line);
    assert.equal(secrets.hide(line.replace("…", " …")), "the key is [hidden]…", line);
  }
  assert.equal(secrets.hide("sk-01…"), "sk-01…");
  assert.equal(secrets.hide("the key begins with sk-0123"), "the key begins with sk-0123");
  const words = new Secrets([SECRET]);
  for (const form of [encodeURIComponent(SECRET), JSON.stringify(SECRET), base64(SECRET)]) {
    for (let shown = 20; shown < form.length; shown++) {
      const hidden = words.hide(`it is ${cut(form, shown)}…`);
      assert.match(hidden, /^it is "?\[hidden\]…$/, form.slice(0, shown));
      const bounded = words.hide(`it is ${cut(form, shown)}`);
      assert.match(bounded, /^it is "?\[hidden\]$/, form.slice(0, shown));
    }
  }
  const long = "first, " + "and so on, ".repeat(1_000);
  assert.equal(words.hide(long + cut(base64(SECRET), 30)), `${long}[hidden]`);
});

Deno.test("hide() leaves all other texts as they are", () => {
  const secrets = new Secrets(["secret-1", "$&", ""]);
  for (const text of ["", "secret-", "SECRET-1", "a\\u0062 %41 …", "$1"]) {
    assert.equal(secrets.hide(text), text);
  }
  assert.equal(new Secrets().hide("secret-1"), "secret-1");
  assert(new Secrets([""]).isEmpty);
});

Deno.test("hide() finds a short secret where it stands by itself, escaped or not, and in no other word", () => {
  const secrets = new Secrets([{ text: "hunter2" }, { text: 'a"1b' }]);
  const said = [
    "pw=hunter2",
    "me:hunter2@db",
    "hunter2",
    "(hunter2)",
    "_hunter2_",
    JSON.stringify("\nhunter2\u001b"),
    JSON.stringify(JSON.stringify("a\thunter2")),
    "\u001b[31mhunter2",
    "%3Ahunter2%20",
  ];
  for (const text of said) {
    assert.equal(secrets.hide(text), text.replace("hunter2", "[hidden]"), text);
  }
  assert.equal(secrets.hide(JSON.stringify('a"1b')), '"[hidden]"');
  for (const text of ["hunter22", "ahunter2", "0hunter2", "HUNTER2"]) {
    assert.equal(secrets.hide(text), text);
  }
});

Deno.test("hide() finds a secret that may be any word behind its name, and nowhere else", () => {
  const secrets = new Secrets([
    { text: "admin", name: "DB_PASSWORD" },
    { text: "1", name: "--pin" },
  ]);
  const said = [
    "DB_PASSWORD=admin",
    "db_password: admin, and more",
    'DB_PASSWORD="admin"',
    '{"DB_PASSWORD": "admin"}',
    JSON.stringify('{"DB_PASSWORD":"admin"}'),
    "DB_PASSWORD => 'admin'",
    "run --pin 1",
    "--pin=1",
    '["--pin","1"]',
  ];
  for (const text of said) {
    assert.equal(secrets.hide(text), text.replace(/admin|1/, "[hidden]"), text);
  }
  for (
    const text of ["admin", "DB_PASSWORD=administrator", "DB_PASSWORD"]
  ) {
    assert.equal(secrets.hide(text), text);
  }
  const value = { DB_PASSWORD: "admin", other: "admin", args: ["--pin", "1", "1"] };
  const hidden = { DB_PASSWORD: "[hidden]", other: "admin", args: ["--pin", "[hidden]", "1"] };
  assert.deepEqual(secrets.hideIn(value), hidden);
  assert.equal(
    JSON.stringify({ DB_PASSWORD: "admin" }, secrets.replacer),
    '{"DB_PASSWORD":"[hidden]"}',
  );
});

Deno.test("add() hides from then on", () => {
  const secrets = new Secrets();
  assert.equal(secrets.hide("secret-1"), "secret-1");
  secrets.add(["secret-1"]);
  assert.equal(secrets.hide("secret-1"), "[hidden]");
  secrets.add(["secret-2"]);
  assert.equal(secrets.hide("secret-1 secret-2"), "[hidden] [hidden]");
});

Deno.test("hideIn() hides in every text and name of a value, and changes nothing else", () => {
  const secrets = new Secrets(["secret-1"]);
  const value = { a: [1, "my secret-1", null, { "secret-1": true }], b: undefined, n: 12345678 };
  const hidden = { a: [1, "my [hidden]", null, { "[hidden]": true }], b: undefined, n: 12345678 };
  assert.deepEqual(secrets.hideIn(value), hidden);
  assert.equal(JSON.stringify(value, secrets.replacer), JSON.stringify(hidden));
  assert.equal(new Secrets().hideIn(value), value);
  assert.equal(new Secrets().replacer, undefined);
});

Deno.test("hideIn() gives up on what is nested without end, and does not fail", () => {
  let value: unknown = "secret-1";
  for (let depth = 0; depth < 100_000; depth++) value = [value];
  assert(JSON.stringify(new Secrets(["secret-1"]).hideIn(value)).includes("nested too deep"));
});

Deno.test("hide() takes no longer than its text is long, also where everything nearly matches", () => {
  const secrets = new Secrets([
    "a".repeat(100),
    "\\".repeat(50),
    "%41".repeat(30),
    { text: "a1" },
    { text: "a", name: "a" },
    { text: "a", name: "-a" },
  ]);
  const began = performance.now();
  for (const near of ["a".repeat(99) + "b", "\\", "%41", "aaaaaa…", "\\u0061", "a:", "-a    "]) {
    secrets.hide(near.repeat(1 + 1_000_000 / near.length));
  }
  assert(performance.now() - began < 5_000);
});

Deno.test("hide() of hundreds of secrets costs next to nothing where none of them is told", () => {
  // A pattern costs a millisecond, and thousands of them all the memory that there is.
  const secrets = new Secrets(Array.from({ length: 2_000 }, (_, n) => `${n}`.padStart(64, "key-")));
  const text = JSON.stringify({ said: "two\nlines, 100% true …", path: "C:\\tmp" });
  const began = performance.now();
  for (let round = 0; round < 5; round++) assert.equal(secrets.hide(text), text);
  assert(performance.now() - began < 5_000);
  assert.equal(secrets.hide(`${text} ${"key-".repeat(15)}1999`), `${text} [hidden]`);
});
