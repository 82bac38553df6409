/** A model behind an API, as people and scripts meet it: live on a terminal, whole in a pipe. @module */
import assert from "node:assert/strict";
import {
  demo,
  flaky,
  FUSEBOX,
  type Launch,
  posixTest,
  quoted,
  type Result,
  type Run,
  type Sandbox,
  sandbox,
  sideBySide,
} from "../support/cli.ts";
import {
  ChatServer,
  Held,
  KEY,
  MuteServer,
  offered,
  parametersOf,
  refuses,
  type Reply,
  toolTexts,
  turn,
  userText,
} from "../support/models_chat.ts";
import { FITTED, HOPELESS, oddServer } from "../support/models_odd.ts";
import { ROOT } from "../support/paths.ts";
import { PNG } from "../support/picture.ts";
import { STEERING, type Terminal, terminal, terminalTest } from "../support/pty.ts";

const GPT = ["-m", "openai-chat/gpt-x"];
const HELLO = turn(["Hel", "lo the", "re."]);

/** Runs a prompt to its end. */
async function ask(
  box: Sandbox,
  server: ChatServer,
  args: readonly string[] = [],
  launch: Launch = {},
): Promise<Result> {
  const env = { ...server.env, ...launch.env };
  return await box.fusebox([...GPT, "Go on.", ...args], { ...launch, env });
}

async function start(
  box: Sandbox,
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<Run> {
  return await box.start([...GPT, "Go on.", ...args], { env });
}

async function watch(
  box: Sandbox,
  server: ChatServer,
  args: readonly string[] = [],
): Promise<Terminal> {
  return await terminal(box, [...GPT, "Go on.", ...args], { env: server.env });
}

/** An answer on stdout and the exit code of one. */
function answered({ code, stdout, stderr }: Result, answer: string): void {
  assert.deepEqual([code, stdout], [0, answer], stderr);
}

/** One sentence, one hint, and nothing else. */
function failed({ code, stdout, stderr }: Result, wanted: number, sentence: RegExp, hint?: RegExp) {
  assert.deepEqual([code, stdout], [wanted, ""], stderr);
  const said = stderr.slice(stderr.indexOf("fusebox: ")).trimEnd().split("\n");
  assert.match(said[0]!, sentence);
  if (hint) assert.match(said[1] ?? "", hint);
  assert.equal(said.length, hint ? 2 : 1, stderr);
}

posixTest(
  "cat CHANGELOG.md | fusebox -m … has the file as context and the answer in the pipe",
  async () => {
    await using box = await sandbox();
    await using server = new ChatServer(HELLO);
    const file = `${ROOT}CHANGELOG.md`;
    const line = `cat ${quoted([file])} | ${quoted([...FUSEBOX, ...GPT, "What is new?"])} | cat`;
    answered(await box.spawn(["sh", "-c", line], { env: server.env }).ended, "Hello there.\n");
    const [{ path, headers, body }] = server.asked as [typeof server.asked[0]];
    assert.equal(path, "/v1/chat/completions");
    assert.equal(headers.get("authorization"), `Bearer ${KEY}`);
    assert.deepEqual([body.model, body.stream], ["gpt-x", true]);
    const changelog = (await Deno.readTextFile(file)).trim();
    assert.equal(userText(body), `What is new?\n\n<context>\n${changelog}\n</context>`);
  },
);

Deno.test("into a pipe goes the answer alone: what is said before a call stands on stderr", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(
    turn(["Let me ", "look."], [["notes.search", { query: "Lisbon" }]]),
    turn(["Lisbon ", "won."]),
  );
  const result = await ask(box, server);
  answered(result, "Lisbon won.\n");
  assert.match(result.stderr, /^Let me look\.\n→ notes\.search \{"query":"Lisbon"\}$/m);
  assert.match(toolTexts(server.bodies[1])[0]!, /Q3 offsite/);
});

Deno.test("--no-stream asks for one piece and says the same", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(
    turn("", [["notes.search", { query: "Lisbon" }]]),
    turn("Lisbon won."),
  );
  answered(await ask(box, server, ["--no-stream"]), "Lisbon won.\n");
  assert.deepEqual(server.bodies.map(({ stream }) => stream), [undefined, undefined]);
});

terminalTest("on a terminal the first words are there before the last are said", async () => {
  await using box = await sandbox();
  const held = new Held();
  await using server = new ChatServer(held.reply);
  await using person = await watch(box, server);
  await server.until(1);
  held.say("First words");
  await person.expect("First words");
  held.say(", then a 👋 and");
  await person.expect(", then a 👋 and");
  held.say(" the rest.");
  held.end();
  assert.equal((await person.leaves()).code, 0);
  // Once, on a line of its own, and nothing behind it.
  assert.match(person.screen, /(?:^|\n)First words, then a 👋 and the rest\.\n$/);
  assert.equal(person.raw.split("First words").length, 2);
});

terminalTest(
  "on a terminal calls stand between what was said before them and the answer",
  async () => {
    await using box = await sandbox();
    const [held, last] = [new Held(), new Held()];
    await using server = new ChatServer(held.reply, last.reply);
    await using person = await watch(box, server);
    await server.until(1);
    held.say("Let me look.");
    await person.expect("Let me look.");
    held.call("notes.search", { query: "Lisbon" });
    held.end("tool_calls");
    await person.expect("→ notes.search");
    await server.until(2);
    last.say("Lisbon");
    await person.expect("Lisbon");
    last.say(" won.\n");
    last.end();
    assert.equal((await person.leaves()).code, 0);
    assert.match(
      person.screen,
      /(?:^|\n)Let me look\.\n→ notes\.search [^\n]*\n← notes\.search [^\n]*\nLisbon won\.\n$/,
    );
  },
);

terminalTest("nothing that a model says steers the terminal, however it is cut", async () => {
  await using box = await sandbox();
  const held = new Held();
  await using server = new ChatServer(held.reply);
  await using person = await watch(box, server, ["-v"]);
  await server.until(1);
  for (const piece of ["red \x1b", "[31m al\x1b[2", "Jert", " \x1b]0;own", "ed\x07 \u202eend"]) {
    held.say(piece);
  }
  held.end();
  assert.equal((await person.leaves()).code, 0);
  assert.doesNotMatch(person.raw, STEERING);
  assert.match(person.screen, /red {2}alert {2}end\n$/);
});

terminalTest("--json on a terminal is one document, and nothing live", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(turn(["live ", "text"]));
  await using person = await watch(box, server, ["--json", "-q"]);
  assert.equal((await person.leaves()).code, 0);
  assert.equal(JSON.parse(person.raw).answer, "live text");
});

Deno.test("--json tells calls and usage of all turns", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(
    turn(["Both."], [["notes.search", { query: "Lisbon" }], ["tickets.search", { query: "T-1" }]]),
    HELLO,
  );
  const { code, stdout, stderr } = await ask(box, server, ["--json"]);
  assert.equal(code, 0, stderr);
  const { calls, usage, answer, ending, model, steps } = JSON.parse(stdout);
  assert.deepEqual([answer, ending, model, steps], [
    "Hello there.",
    "answered",
    "openai-chat/gpt-x",
    2,
  ]);
  assert.deepEqual(usage, { input: 100, output: 20, cachedInput: 0, cacheWrite: 0 });
  assert.deepEqual(calls.map(({ alias, tool }: Record<string, string>) => `${alias}.${tool}`), [
    "notes.search",
    "tickets.search",
  ]);
});

Deno.test("--jsonl tells text as it comes", async () => {
  await using box = await sandbox();
  const held = new Held();
  await using server = new ChatServer(held.reply);
  await using run = await start(box, server.env, ["--jsonl"]);
  await server.until(1);
  held.say("First");
  await run.until("stdout", '{"type":"text","text":"First"}\n');
  held.say(" and last");
  held.end();
  const { code, stdout } = await run.ended;
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout.trimEnd().split("\n").at(-1)!).answer, "First and last");
});

Deno.test("-v tells in one line per turn what it took", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(turn("", [["notes.search", { query: "x" }]]), HELLO);
  const { stderr } = await ask(box, server, ["-v"]);
  const lines = stderr.split("\n").filter((line) => /\b50 tokens\b.*\b10\b/.test(line));
  assert.equal(lines.length, 2, stderr);
  await using other = new ChatServer(HELLO);
  assert.doesNotMatch((await ask(box, other)).stderr, /\b50\b/);
});

terminalTest("-v shows dimly what a model thinks, as one text before the answer", async () => {
  await using box = await sandbox();
  const held = new Held();
  await using server = new ChatServer(held.reply);
  await using person = await watch(box, server, ["-v"]);
  await server.until(1);
  for (const piece of ["Let", " me", " think", " about", " it."]) held.think(piece);
  held.say("Hello.");
  held.end();
  assert.equal((await person.leaves()).code, 0);
  assert.match(person.screen, /\nLet me think about it\.\n(?:[^\n]*\n)*?Hello\.\n/);
  assert(person.raw.includes("\x1b[2mLet"), "it is not dim");
});

terminalTest(
  "an error in mid-stream stands on a line of its own behind what was shown",
  async () => {
    await using box = await sandbox();
    const held = new Held();
    await using server = new ChatServer(held.reply);
    await using person = await watch(box, server);
    await server.until(1);
    held.say("First words");
    await person.expect("First words");
    held.fail({ message: "The server had an error", type: "server_error" });
    assert.equal((await person.leaves()).code, 5);
    assert.match(person.screen, /(?:^|\n)First words\nfusebox: The model API failed: [^\n]*\n$/);
    assert.equal(server.asked.length, 1, "what was shown would be shown twice");
  },
);

posixTest("a signal in mid-stream gives the request up, and leaves nothing behind", async () => {
  const cases = [["SIGINT", 130], ["SIGTERM", 143]] as const;
  await sideBySide(cases, async (box, [signal, code]) => {
    const held = new Held();
    await using server = new ChatServer(held.reply);
    await using run = await start(box, server.env, ["--jsonl"]);
    await server.until(1);
    held.say("First words");
    await run.until("stdout", "First words");
    run.send(signal);
    await held.left;
    const { code: left, stderr } = await run.ended;
    assert.equal(left, code);
    assert.doesNotMatch(stderr, /^fusebox:/m);
    await box.empty();
  });
});

terminalTest("Ctrl-C in mid-stream gives the request up, and what was shown stays", async () => {
  await using box = await sandbox();
  const held = new Held();
  await using server = new ChatServer(held.reply);
  await using person = await watch(box, server);
  await server.until(1);
  held.say("First words");
  await person.expect("First words");
  person.type("\x03");
  await held.left;
  assert.equal((await person.leaves()).code, 130);
  // The prompt of the shell begins a line of its own.
  assert.match(person.screen, /(?:^|\n)First words[^\n]*\n$/);
  assert.doesNotMatch(person.screen, /fusebox: |bug/);
  await box.empty();
  assert.equal(server.asked.length, 1, "it was not asked again");
});

posixTest("Ctrl-C leaves a server that takes the request and stays silent", async () => {
  await using box = await sandbox();
  await using server = new MuteServer();
  await using run = await start(box, server.env);
  await server.asked;
  run.send("SIGINT");
  const { code, stdout } = await run.ended;
  assert.deepEqual([code, stdout], [130, ""]);
  await server.left;
  await box.empty();
});

posixTest("Ctrl-C does not wait for the next try", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(
    refuses(429, { message: "Slow down" }, { "retry-after": "59" }),
  );
  await using run = await start(box, server.env);
  await run.until("stderr", "openai-chat is limiting us (429); trying again in 59.0s");
  run.send("SIGINT");
  const { code, ms } = await run.ended;
  assert.equal(code, 130);
  assert(ms < 20_000, `${ms} ms`);
  await box.empty();
  assert.equal(server.asked.length, 1);
});

posixTest("a reader that has seen enough ends the run quietly", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(turn("one\ntwo\nthree"));
  const line = `${quoted([...FUSEBOX, ...GPT, "Go on.", "-q"])} | head -1`;
  answered(await box.spawn(["sh", "-c", line], { env: server.env }).ended, "one\n");

  const held = new Held();
  await using other = new ChatServer(held.reply);
  await using run = await start(box, other.env, ["-q"]);
  await other.until(1);
  held.say("Who reads this?");
  await run.stopReading("stdout");
  held.end();
  const { code, stderr } = await run.ended;
  assert.deepEqual([code, stderr], [0, ""]);
  await box.empty();
});

posixTest("a reader that leaves in mid-stream has the request given up", async () => {
  await using box = await sandbox();
  const held = new Held();
  await using server = new ChatServer(held.reply);
  await using run = await start(box, server.env, ["--jsonl", "-q"]);
  await server.until(1);
  held.say("First");
  await run.until("stdout", "First");
  await run.stopReading("stdout");
  held.say("Second");
  await held.left;
  const { code, stderr } = await run.ended;
  assert.deepEqual([code, stderr], [0, ""]);
  await box.empty();
});

Deno.test("with no model named, the first key decides, and a line says which it was", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(HELLO);
  const env = { GROQ_API_KEY: KEY, GROQ_BASE_URL: server.root };
  const result = await box.fusebox(["Go on."], { env });
  answered(result, "Hello there.\n");
  assert.match(
    result.stderr,
    /^No model is configured: using groq\/openai\/gpt-oss-120b, because GROQ_API_KEY is set$/m,
  );
  const [{ path, headers, body }] = server.asked as [typeof server.asked[0]];
  assert.equal(path, "/openai/v1/chat/completions");
  assert.equal(headers.get("authorization"), `Bearer ${KEY}`);
  assert.equal(body.model, "openai/gpt-oss-120b");
});

Deno.test("a model that is named goes before a key, and MOCK before all", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(HELLO, HELLO);
  const env = { GROQ_API_KEY: KEY, GROQ_BASE_URL: server.root, ...server.env };
  const config = { model: "openai-chat/gpt-y", servers: { notes: demo("notes") } };
  const configured = await box.fusebox(["Go on."], { env, config });
  answered(configured, "Hello there.\n");
  assert.doesNotMatch(configured.stderr, /No model is configured/);
  answered(await box.fusebox([...GPT, "Go on."], { env, config }), "Hello there.\n");
  assert.deepEqual(server.bodies.map(({ model }) => model), ["gpt-y", "gpt-x"]);
  const prompt = "What do my notes say about Lisbon?";
  const mock = await box.fusebox([...GPT, prompt], { env: { ...env, MOCK: "1" }, config });
  assert.match(mock.stdout, /Lisbon won the vote/);
  assert.equal(server.asked.length, 2);
});

Deno.test("the configuration reaches any server that speaks the format, with a key of its own", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(HELLO);
  const result = await box.fusebox(["Go on."], {
    env: { MY_KEY: "my-own-key", OPENROUTER_API_KEY: "not-this-one" },
    config: {
      model: "openrouter/some/model:free",
      api: { baseUrl: `${server.root}/api/v1`, keyEnv: "MY_KEY" },
      servers: { notes: demo("notes") },
    },
  });
  answered(result, "Hello there.\n");
  const [{ path, headers, body }] = server.asked as [typeof server.asked[0]];
  assert.equal(path, "/api/v1/chat/completions");
  assert.equal(headers.get("authorization"), "Bearer my-own-key");
  assert.equal(body.model, "some/model:free");
});

Deno.test("Ollama is found by OLLAMA_HOST, needs no key, and is given none of its own", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(HELLO);
  const { host } = new URL(server.root);
  const env = { OLLAMA_HOST: host, OLLAMA_API_KEY: KEY };
  const args = ["Go on.", "-m", "ollama/llama3.2:3b", "--max-tokens", "9"];
  answered(await box.fusebox(args, { env }), "Hello there.\n");
  const [{ path, headers, body }] = server.asked as [typeof server.asked[0]];
  assert.equal(path, "/v1/chat/completions");
  assert.deepEqual([body.model, body.max_tokens], ["llama3.2:3b", 9]);
  assert.equal(headers.get("authorization"), null);
});

/** Which variables are looked at, by provider. */
const KEYS: Readonly<Record<string, string>> = {
  anthropic: "ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN",
  openai: "OPENAI_API_KEY",
  "openai-chat": "OPENAI_API_KEY",
  gemini: "GOOGLE_API_KEY, GEMINI_API_KEY",
  openrouter: "OPENROUTER_API_KEY",
  mistral: "MISTRAL_API_KEY",
  groq: "GROQ_API_KEY",
  deepseek: "DEEPSEEK_API_KEY",
  xai: "XAI_API_KEY",
  together: "TOGETHER_API_KEY",
};

Deno.test("without a key, the variables that were looked at are named, and nothing is started", async () => {
  await sideBySide(Object.entries(KEYS), async (box, [provider, names]) => {
    const result = await box.fusebox(["Go on.", "-m", `${provider}/m`], {
      // An empty variable is none.
      env: { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: " " },
    });
    assert.deepEqual([result.code, result.stdout], [2, ""]);
    assert.equal(
      result.stderr,
      `fusebox: Cannot use the model "${provider}/m": no key (looked at ${names})\n` +
        `  Set ${names.split(",")[0]}, or use ollama/MODEL or offline, which need none.\n`,
    );
  });
});

Deno.test("a key that no header can carry is a mistake of the user's, and is not printed", async () => {
  await using box = await sandbox();
  const env = { OPENAI_API_KEY: "sk-se cret\u201d" };
  const { code, stderr } = await box.fusebox([...GPT, "Go on."], { env });
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^fusebox: Cannot use the key in OPENAI_API_KEY: /);
  assert(!stderr.includes("cret"), stderr);
});

Deno.test("an error that repeats the key is told without it", async () => {
  await using box = await sandbox();
  const message = `Incorrect API key provided: ${KEY}. Look at https://example.com/keys`;
  await using server = new ChatServer(refuses(401, { message, code: "invalid_api_key" }));
  const result = await ask(box, server, ["-v"]);
  failed(
    result,
    5,
    /^fusebox: The model API did not accept the key: /,
    /Check OPENAI_API_KEY, and/,
  );
  assert(!result.stderr.includes(KEY), result.stderr);
});

Deno.test("a server that is not there is told soon, and with its address", async () => {
  await using box = await sandbox();
  const gone = new ChatServer();
  const { env, root } = gone;
  await gone[Symbol.asyncDispose]();
  const result = await box.fusebox([...GPT, "Go on."], { env });
  failed(
    result,
    5,
    new RegExp(`^fusebox: Cannot reach openai-chat at ${new URL(root).host}: .*refused`, "i"),
    /Is the address right/,
  );
  assert(result.ms < 8_000, `${result.ms} ms`);
});

/** A list as OpenAI gives it. */
const MODELS = { object: "list", data: [{ id: "gpt-x" }, { id: "gpt-a" }, { id: "ft:gpt-x:me" }] };

Deno.test("fusebox models PROVIDER lists what -m takes, sorted", async () => {
  await using box = await sandbox();
  const list = () => Response.json(MODELS);
  await using server = new ChatServer(list, list, list);
  const names = ["openai-chat/ft:gpt-x:me", "openai-chat/gpt-a", "openai-chat/gpt-x"];
  const { env } = server;
  answered(await box.fusebox(["models", "openai-chat"], { env }), names.join("\n") + "\n");
  const json = await box.fusebox(["models", "openai-chat", "--json"], { env });
  assert.deepEqual(JSON.parse(json.stdout), { models: names });
  // What -m names is the provider of the list, too.
  answered(await box.fusebox(["models", ...GPT], { env }), names.join("\n") + "\n");
  for (const { path, headers } of server.asked) {
    assert.deepEqual([path, headers.get("authorization")], ["/v1/models", `Bearer ${KEY}`]);
  }
});

Deno.test("fusebox models says why there is no list", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(
    refuses(401, { message: "No", code: "invalid_api_key" }),
    () => new Response("<html><title>Welcome</title></html>", { headers: HTML }),
  );
  const { env } = server;
  failed(
    await box.fusebox(["models", "openai-chat"], { env }),
    5,
    /^fusebox: The model API did not accept the key: No$/,
    /Check OPENAI_API_KEY, and/,
  );
  failed(
    await box.fusebox(["models", "openai-chat"], { env }),
    5,
    /^fusebox: Cannot read the answer of openai-chat: it is a web page$/,
    /Is the base URL that of the API\?/,
  );
  failed(await box.fusebox(["models"]), 2, /no provider is named, and no key is set$/, /anthropic/);
  failed(
    await box.fusebox(["models", "openia"]),
    2,
    /no such provider$/,
    /Did you mean "openai"\?/,
  );
  failed(await box.fusebox(["models", "gemini"]), 2, /GOOGLE_API_KEY, GEMINI_API_KEY/, /Set /);
});

const HTML = { "content-type": "text/html" };

Deno.test("--system FILE stands behind our own words, the same in every turn", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(turn("", [["notes.search", { query: "x" }]]), HELLO);
  const file = await box.file("system.md", "Answer in rhymes. 🎶\n");
  answered(await ask(box, server, ["--system", file]), "Hello there.\n");
  const [first, second] = server.bodies.map(({ messages }) => messages[0]);
  assert.equal(first.role, "system");
  assert.match(first.content, /^You answer the user[^]*\n\nAnswer in rhymes\. 🎶\s*$/);
  assert.deepEqual(second, first);
});

Deno.test("--attach FILE gives text as text and a picture as a picture", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(HELLO);
  const list = await box.file("list.csv", "city,votes\nLisbon,9\n");
  // Names lie.
  const dot = `${box.home}/dot.txt`;
  await Deno.writeFile(dot, PNG);
  answered(await ask(box, server, ["--attach", list, "--attach", dot]), "Hello there.\n");
  const { content } = server.bodies[0].messages.at(-1);
  assert.match(userText(server.bodies[0]), /^Go on\.[^]*list\.csv[^]*city,votes\nLisbon,9/);
  const images = content.filter(({ type }: { type: string }) => type === "image_url");
  assert.deepEqual(images.map((part: { image_url: { url: string } }) => part.image_url.url), [
    `data:image/png;base64,${PNG.toBase64()}`,
  ]);
  assert(!JSON.stringify(content).includes(box.home), "where it lies is nobody's business");
});

Deno.test("files that can't be given are told before anything is asked", async () => {
  await using box = await sandbox();
  await using server = new ChatServer();
  const bytes = `${box.home}/bytes`;
  await Deno.writeFile(bytes, new Uint8Array([0, 1, 254, 255]));
  const none = `${box.home}/none`;
  const broken = await box.file("broken.json", "{");
  const wrong = await box.file("wrong.json", { type: "nonsense" });
  const cases: [string[], RegExp][] = [
    [["--attach", none], /^fusebox: Cannot attach .*none: no such file$/],
    [["--attach", bytes], /^fusebox: Cannot attach .*bytes: it is neither text in UTF-8/],
    [["--attach", box.home], /^fusebox: Cannot attach .*: it is a (?:folder|directory)/],
    [["--system", none], /^fusebox: Cannot read --system .*none: no such file$/],
    [["--schema", none], /^fusebox: Cannot read --schema .*none: no such file$/],
    [["--schema", broken], /^fusebox: Cannot .*--schema .*broken\.json/],
    [["--schema", wrong], /^fusebox: Cannot use --schema .*wrong\.json: /],
  ];
  for (const [args, sentence] of cases) {
    const { code, stdout, stderr } = await ask(box, server, args);
    assert.deepEqual([code, stdout], [2, ""], `${args}: ${stderr}`);
    assert.match(stderr.split("\n")[0]!, sentence);
  }
  assert.equal(server.asked.length, 0);
});

const CITY = {
  type: "object",
  properties: { city: { type: "string" }, votes: { type: "integer", minimum: 1 } },
  required: ["city"],
  additionalProperties: false,
};
const GOOD = '{"city": "Lisbon", "votes": 9}';

Deno.test("--schema FILE asks the API for such JSON and prints it", async () => {
  await using box = await sandbox();
  const file = await box.file("city.json", CITY);
  // Many put a fence around it.
  const says = [GOOD, `\`\`\`json\n${GOOD}\n\`\`\``, `\n${GOOD}\n\n`];
  for (const text of says) {
    await using server = new ChatServer(turn(text));
    answered(await ask(box, server, ["--schema", file]), `${GOOD}\n`);
    const [body] = server.bodies;
    assert.equal(body.response_format.type, "json_schema");
    assert.deepEqual(Object.keys(body.response_format.json_schema.schema.properties), [
      "city",
      "votes",
    ]);
    // Also in words, for servers that do not know the field.
    assert.match(userText(body), /^Go on\.\n\nAnswer with one JSON value/);
  }
});

Deno.test("an answer that is not valid for --schema is asked for once more, and said what is wrong", async () => {
  await using box = await sandbox();
  const file = await box.file("city.json", CITY);
  const wrong = ["I would say Lisbon.", '{"votes": 9}', '{"city": "Lisbon", "votes": 0}', "[]"];
  await sideBySide(wrong, async (box, text) => {
    await using server = new ChatServer(turn(text), turn(GOOD));
    const { code, stdout, stderr } = await ask(box, server, ["--schema", file, "--json"]);
    assert.equal(code, 0, stderr);
    const { answer, ending, steps } = JSON.parse(stdout);
    assert.deepEqual([answer, ending, steps], [GOOD, "answered", 2]);
    const { messages } = server.bodies[1];
    assert.deepEqual(messages.at(-2), { role: "assistant", content: text });
    assert.match(messages.at(-1).content, /^That answer is not valid: .+\. Answer again/s);
  });
});

Deno.test("an answer that stays invalid ends with 6", async () => {
  await using box = await sandbox();
  const file = await box.file("city.json", CITY);
  await using server = new ChatServer(turn("Lisbon."), turn('{"votes": 9}'));
  const result = await ask(box, server, ["--schema", file, "--json"]);
  assert.equal(result.code, 6, result.stderr);
  const { ending, why } = JSON.parse(result.stdout);
  assert.equal(ending, "invalid");
  assert.match(why, /^The answer is not valid for --schema: .*city/);
  assert.match(result.stderr, /^fusebox: The answer is not valid for --schema: .*city/m);
  assert.equal(server.asked.length, 2);
});

Deno.test("a script that reads stdout never takes an invalid answer for JSON", async () => {
  await using box = await sandbox();
  const file = await box.file("city.json", CITY);
  await using server = new ChatServer(turn("Lisbon."), turn("Lisbon!"));
  const { code, stdout } = await ask(box, server, ["--schema", file]);
  assert.equal(code, 6);
  // What the model said last is shown, so that somebody may mend it.
  assert(["", "Lisbon!\n"].includes(stdout), stdout);
});

Deno.test("--max-tokens bounds each turn, and an answer that is cut there ends with 6", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(
    turn("", [["notes.search", { query: "x" }]]),
    turn("Once upon", [], "length"),
  );
  const { code, stdout, stderr } = await ask(box, server, ["--max-tokens", "12"]);
  assert.deepEqual([code, stdout], [6, "Once upon\n"]);
  assert.match(stderr, /^fusebox: The answer was cut off at the model's length limit$/m);
  assert.deepEqual(server.bodies.map((body) => body.max_completion_tokens), [12, 12]);
});

Deno.test("--budget-tokens ends the run before the request that would go beyond it", async () => {
  await using box = await sandbox();
  const call = turn("Looking.", [["notes.search", { query: "x" }]]);
  await using server = new ChatServer(call, call, HELLO);
  const result = await ask(box, server, ["--budget-tokens", "100", "--json"]);
  assert.equal(result.code, 6, result.stderr);
  const { ending, why, steps, calls } = JSON.parse(result.stdout);
  // Each turn is 60.
  assert.deepEqual([ending, steps, calls.length], ["budget", 2, 2]);
  assert.equal(why, "120 tokens are used, of a budget of 100 (--budget-tokens raises it)");
  assert.equal(server.asked.length, 2);
});

Deno.test("--max-steps ends a run that would go on", async () => {
  await using box = await sandbox();
  const calls = ["a", "b", "c"].map((query) => turn("", [["notes.search", { query }]]));
  await using server = new ChatServer(...calls);
  const result = await ask(box, server, ["--max-steps", "2", "--json"]);
  assert.equal(result.code, 6, result.stderr);
  assert.equal(JSON.parse(result.stdout).ending, "step_limit");
  assert.equal(server.asked.length, 2);
});

Deno.test("a continuation that fails is asked again, and the tool is not run again", async () => {
  await using box = await sandbox();
  const create = (title: string) =>
    turn("", [["tickets.create_ticket", { title, due: "2026-12-04" }]]);
  await using server = new ChatServer(
    create("First"),
    refuses(529, { message: "Overloaded" }, { "retry-after-ms": "50" }),
    refuses(500, { message: "Oops" }, { "retry-after-ms": "50" }),
    create("Second"),
    HELLO,
  );
  answered(await ask(box, server), "Hello there.\n");
  const [, failed, again, repeated, last] = server.bodies;
  assert.deepEqual(again, failed);
  assert.deepEqual(repeated, failed);
  const [first, second] = toolTexts(last);
  assert.match(first!, /^Created T-6 {2}First/);
  assert.match(second!, /^Created T-7 {2}Second/);
});

/** A 400 as OpenAI writes it for a schema that it does not take. */
function refusesTool(at: number, name: string) {
  return refuses(400, {
    message: `Invalid schema for function '${name}': In context=(), 'x' is not permitted.`,
    type: "invalid_request_error",
    param: `tools[${at}].function.parameters`,
    code: "invalid_function_parameters",
  });
}

const ALL = [
  "mcp__notes__add_note",
  "mcp__notes__read_note",
  "mcp__notes__search",
  "mcp__tickets__close_ticket",
  "mcp__tickets__create_ticket",
  "mcp__tickets__search",
];

Deno.test("a 400 that names tools[1] drops that tool, says so, and asks once more", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(
    refusesTool(1, ALL[1]!),
    turn("", [["notes.search", { query: "Lisbon" }]]),
    HELLO,
  );
  const result = await ask(box, server);
  answered(result, "Hello there.\n");
  const left = ALL.filter((name) => name !== ALL[1]);
  assert.deepEqual(server.bodies.map(offered), [ALL, left, left]);
  assert.match(
    result.stderr,
    /^mcp__notes__read_note is left out, for openai-chat refused it \(.*Invalid schema/m,
  );
  assert.doesNotMatch(result.stderr, /trying again/);
});

Deno.test("the index counts in the request that was refused", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(
    refusesTool(1, ALL[1]!),
    refusesTool(1, ALL[2]!),
    refusesTool(3, ALL[5]!),
    HELLO,
  );
  answered(await ask(box, server), "Hello there.\n");
  assert.deepEqual(offered(server.bodies.at(-1)), [ALL[0], ALL[3], ALL[4]]);
});

Deno.test("a 400 that names no tool that was sent is final", async () => {
  await using box = await sandbox();
  for (const reply of [refusesTool(17, "nobody"), refuses(400, { message: "Bad request" })]) {
    await using server = new ChatServer(reply);
    const result = await ask(box, server);
    assert.equal(result.code, 5, result.stderr);
    assert.match(result.stderr, /^fusebox: The model API refused the request: /m);
    assert.equal(server.asked.length, 1);
  }
});

Deno.test("a server that refuses every tool is not asked for ever", async () => {
  await using box = await sandbox();
  const never = Array.from({ length: 20 }, () => refusesTool(0, "any"));
  await using server = new ChatServer(...never);
  const config = {
    servers: { flaky: flaky("odd-names"), notes: demo("notes"), tickets: demo("tickets") },
    allow: ["flaky"],
  };
  const result = await ask(box, server, [], { config });
  assert.equal(result.code, 5, result.stderr);
  assert(server.asked.length <= 10, `${server.asked.length} requests`);
});

Deno.test("a tool whose schema can't be sent is held back with a reason, and its siblings are not", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(turn("", [["odd.choice", { a: 1 }]]), HELLO);
  const config = {
    servers: { notes: demo("notes"), odd: await oddServer(box) },
    allow: ["odd"],
  };
  const result = await ask(box, server, [], { config });
  answered(result, "Hello there.\n");
  const right = [...Object.keys(FITTED).map((name) => `mcp__odd__${name}`), ...ALL.slice(0, 3)];
  for (const body of server.bodies) assert.deepEqual(offered(body).sort(), right.sort());
  assert.deepEqual(toolTexts(server.bodies[1]), ['choice{"a":1}']);
  for (const name of Object.keys(HOPELESS)) {
    // Once, though two requests were made.
    const lines = result.stderr.split("\n").filter((line) =>
      new RegExp(`\\b(?:mcp__odd__|odd\\.)?${name}\\b`).test(line)
    );
    assert.equal(lines.length, 1, `${name}: ${result.stderr}`);
    assert.match(lines[0]!, /schema/);
  }
  // What was fitted keeps to what every API takes.
  for (const name of right) {
    const parameters = parametersOf(server.bodies[0], name);
    assert.equal(parameters.type, "object");
    assert(parameters.properties, `${name} has no properties`);
    for (const key of ["oneOf", "anyOf", "allOf", "enum", "not"]) assert(!(key in parameters));
  }
  assert("items" in parametersOf(server.bodies[0], "mcp__odd__list").properties.a);
});

Deno.test("names of arguments that no model API takes are mapped, and mapped back", async () => {
  await using box = await sandbox();
  const call: Reply = (asked) => {
    const { properties } = parametersOf(asked.body, "mcp__odd__names");
    const values = ["one", 2, "three"];
    const args = Object.keys(properties).map((name, at) => [name, values[at]]);
    return turn("", [["odd.names", Object.fromEntries(args)]])(asked);
  };
  await using server = new ChatServer(call, HELLO);
  const config = { servers: { odd: await oddServer(box) }, allow: ["odd"] };
  answered(await ask(box, server, [], { config }), "Hello there.\n");
  const { properties, required } = parametersOf(server.bodies[0], "mcp__odd__names");
  for (const name of Object.keys(properties)) assert.match(name, /^[a-zA-Z0-9_.-]{1,64}$/);
  assert(Object.keys(properties).includes(required[0]));
  assert.deepEqual(toolTexts(server.bodies[1]), ['names{"a b":"one","größe":2,"ok":"three"}']);
});

Deno.test("of more tools than the API takes as many are offered as it takes, or one that reaches all", async () => {
  await using box = await sandbox();
  const many = Object.fromEntries(
    Array.from({ length: 140 }, (_, at) => [`tool_${at}`, { type: "object", properties: {} }]),
  );
  await using server = new ChatServer(HELLO);
  const config = { servers: { odd: await oddServer(box, many) }, allow: ["odd"] };
  const result = await ask(box, server, [], { config });
  answered(result, "Hello there.\n");
  const names = offered(server.bodies[0]);
  assert(names.length > 0 && names.length <= 128, `${names.length} tools`);
  // Whoever misses one is told why.
  if (names.length > 1) assert.match(result.stderr, /128 of 140 tools are offered.*mcp__odd__/s);
});

Deno.test("entries of a list that are no tools cost nothing but themselves", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(turn("", [["flaky.good_last", { n: 1 }]]), HELLO);
  const config = { servers: { flaky: flaky("bad-tools") }, allow: ["flaky"] };
  const result = await ask(box, server, ["-v"], { config });
  answered(result, "Hello there.\n");
  const names = offered(server.bodies[0]);
  for (const name of ["good_first", "good_last", "echo", "twin"]) {
    assert(names.includes(`mcp__flaky__${name}`), `${name}: ${names}`);
  }
  const bad = [
    "schema_null",
    "schema_missing",
    "schema_string",
    "properties_array",
    "required_null",
  ];
  for (const name of bad) assert(!names.includes(`mcp__flaky__${name}`), name);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(toolTexts(server.bodies[1]), ['{"n":1}']);
});

Deno.test("names that no model API takes are mapped, and lead to the right tool", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: flaky("odd-names") }, allow: ["flaky"] };
  await using looking = new ChatServer(HELLO);
  answered(await ask(box, looking, [], { config }), "Hello there.\n");
  const names = offered(looking.bodies[0]);
  for (const name of names) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
  assert.equal(new Set(names).size, names.length);
  // All of them at once, each under the name that it was offered by.
  const odd = names.filter((name) => !/__(?:echo|slow|env|received|fail|pid)$/.test(name));
  const calls = odd.map((name) => [name.replace("mcp__flaky__", "flaky."), { n: 1 }] as const);
  await using server = new ChatServer(turn("", calls), HELLO);
  answered(await ask(box, server, [], { config }), "Hello there.\n");
  // Each says its own name first.
  const said = toolTexts(server.bodies[1]).map((text) => text.split("\n")[0]);
  assert.equal(said.length, odd.length);
  const raw = new Set(said);
  assert.equal(raw.size, odd.length, "two calls reached the same tool");
  for (const name of ["foo.bar", "foo/bar", "foo_bar", "__proto__", "toString"]) {
    assert(raw.has(name), name);
  }
});

Deno.test("a picture from a tool reaches the model as a picture, and what it can't be is named", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(turn("", [["flaky.odd", {}]]), HELLO);
  const config = { servers: { flaky: flaky("odd-content") }, allow: ["flaky"] };
  const result = await ask(box, server, [], { config });
  answered(result, "Hello there.\n");
  const { messages } = server.bodies[1];
  const [text] = toolTexts(server.bodies[1]);
  assert(!text!.includes("iVBOR"), text);
  assert.match(text!, /image\/png, 7\d bytes; shown separately/);
  assert.match(text!, /audio\/wav, \d+ bytes; not shown/);
  const { role, content } = messages.at(-1);
  assert.equal(role, "user");
  assert.deepEqual(content.at(-1), {
    type: "image_url",
    image_url: { url: `data:image/png;base64,${PNG.toBase64()}` },
  });
  assert.match(result.stderr, /does not take .*audio\/wav/);
});

Deno.test("a model that takes no pictures is told honestly that there was one", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(turn("", [["flaky.odd", {}]]), HELLO);
  const result = await box.fusebox(["Go on.", "-m", "groq/llama"], {
    env: { GROQ_API_KEY: KEY, GROQ_BASE_URL: server.root },
    config: { servers: { flaky: flaky("odd-content") }, allow: ["flaky"] },
  });
  answered(result, "Hello there.\n");
  const body = JSON.stringify(server.bodies[1]);
  assert(!body.includes("iVBOR") && !body.includes("image_url"), body);
  assert.match(toolTexts(server.bodies[1])[0]!, /image\/png, 7\d bytes; not shown/);
  assert.match(result.stderr, /does not take .*image\/png/);
});

Deno.test("an error and structured content of a tool reach a model without a flag for them", async () => {
  await using box = await sandbox();
  const server = new ChatServer(
    turn("", [["flaky.fail", { text: "No." }], ["flaky.echo", { deep: { n: 1 } }]]),
    HELLO,
  );
  await using _ = server;
  const config = { servers: { flaky: flaky("structured-only") }, allow: ["flaky"] };
  answered(await ask(box, server, [], { config }), "Hello there.\n");
  assert.deepEqual(toolTexts(server.bodies[1]), ["Error: No.", '{"deep":{"n":1}}']);
});
