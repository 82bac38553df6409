/** Where the prompt comes from, and what stands beside it. @module */
import assert from "node:assert/strict";
import {
  FUSEBOX,
  type Launch,
  posixTest,
  quoted,
  type Result,
  sandbox,
  sideBySide,
} from "../support/cli.ts";

const PROMPT = "What do my notes say about Lisbon?";
const ANSWER = /Lisbon won the vote/;
const ADD = 'Add a note "Minutes" with this text';

function answered({ code, stdout, stderr }: Result): void {
  assert.equal(code, 0, stderr);
  assert.match(stdout, ANSWER, stderr);
}

/** What a run of {@linkcode ADD} wrote into the note. */
function bodyOf({ code, stdout, stderr }: Result): unknown {
  assert.equal(code, 0, stderr);
  const { calls } = JSON.parse(stdout);
  assert.deepEqual(calls.map(({ tool }: { tool: string }) => tool), ["add_note"], stdout);
  return calls[0].arguments.body;
}

Deno.test("fusebox answers a prompt in its arguments, quoted or not", async () => {
  await using box = await sandbox();
  answered(await box.fusebox([PROMPT]));
  answered(await box.fusebox(PROMPT.split(" ")));
  answered(await box.fusebox(["ask", PROMPT]));
});

Deno.test("fusebox answers a prompt on stdin", async () => {
  await using box = await sandbox();
  answered(await box.fusebox([], { stdin: { text: `${PROMPT}\n` } }));
  answered(await box.fusebox(["ask"], { stdin: { text: PROMPT } }));
  answered(await box.fusebox(["-"], { stdin: { text: PROMPT } }));
});

Deno.test("fusebox answers QUESTION when nothing else asks", async () => {
  await using box = await sandbox();
  const env = { QUESTION: PROMPT };
  answered(await box.fusebox([], { env }));
  answered(await box.fusebox([], { env, stdin: { text: " \n\n" } }));
  answered(await box.fusebox(["--no-stdin"], { env, stdin: "open" }));
});

Deno.test("arguments go before stdin, and stdin before QUESTION", async () => {
  await using box = await sandbox();
  const env = { QUESTION: "What do my notes say about books?" };
  answered(await box.fusebox([PROMPT], { env }));
  answered(await box.fusebox([], { env, stdin: { text: PROMPT } }));
});

Deno.test("beside a prompt in the arguments, stdin is context", async () => {
  await using box = await sandbox();
  const run = await box.fusebox([ADD, "--json"], { stdin: { text: "Buy grüne Äpfel 🍏\n" } });
  assert.equal(bodyOf(run), "Buy grüne Äpfel 🍏");
});

posixTest("a file on stdin is context too", async () => {
  await using box = await sandbox();
  const file = await box.file("minutes.txt", "Fourteen people came.");
  const command = `${quoted([...FUSEBOX, ADD, "--json"])} < ${quoted([file])}`;
  assert.equal(bodyOf(await box.spawn(["sh", "-c", command]).ended), "Fourteen people came.");
});

posixTest("a folder on stdin is the user's mistake, and is told in one sentence", async () => {
  await using box = await sandbox();
  const command = `${quoted([...FUSEBOX, PROMPT, "-q"])} < /`;
  const { code, stdout, stderr } = await box.spawn(["sh", "-c", command]).ended;
  assert.deepEqual([code, stdout], [2, ""], stderr);
  assert.match(stderr, /^fusebox: Cannot read stdin: .*is a (?:folder|directory).*\n( {2}.*\n)?$/i);
});

Deno.test("a stdin that is not UTF-8 is read for what it is worth", async () => {
  await using box = await sandbox();
  const run = await box.start([ADD, "--json"], { stdin: "open" });
  run.write(new Uint8Array([0xff, 0xfe, ...new TextEncoder().encode("Bring cake")]));
  run.endInput();
  assert.match(String(bodyOf(await run.ended)), /Bring cake/);
});

Deno.test("a stdin that is no text at all is refused, and what takes images is named", async () => {
  await using box = await sandbox();
  const run = await box.start(["What is this?", "-q"], { stdin: "open" });
  run.write(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13));
  run.endInput();
  const { code, stderr } = await run.ended;
  assert.equal(code, 2);
  assert.match(
    stderr,
    /^fusebox: Cannot read stdin: it is no text\n {2}--attach FILE .*images.*\n$/,
  );
});

Deno.test("--no-stdin neither reads stdin nor waits for it", async () => {
  await using box = await sandbox();
  const run = await box.fusebox([PROMPT, "--no-stdin"], { stdin: "open" });
  answered(run);
  assert(!run.stderr.includes("--no-stdin"), run.stderr);
});

Deno.test("an open stdin that stays silent is told of after two seconds, and still heard", async () => {
  await using box = await sandbox();
  const began = performance.now();
  const run = await box.start([], { stdin: "open" });
  await run.until("stderr", "--no-stdin");
  assert(performance.now() - began > 1_900, "it was told too early");
  assert.match(run.stderr, /^fusebox: Waiting for the end of stdin/m);
  run.write(PROMPT);
  run.endInput();
  answered(await run.ended);
});

Deno.test("without a prompt, fusebox says how to give one and leaves with 2", async () => {
  const cases: [string[], Launch][] = [
    [[], {}],
    [["ask"], {}],
    [[""], {}],
    [["--no-stdin"], {}],
    [[], { stdin: { text: "\n" } }],
    [[], { env: { QUESTION: " ", MOCK: "0" } }],
  ];
  await sideBySide(cases, async (box, [args, launch]) => {
    const { code, stdout, stderr } = await box.fusebox(args, launch);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.equal(
      stderr,
      "fusebox: Cannot answer: there is no prompt\n" +
        '  fusebox "your question", or pipe it in: echo "your question" | fusebox\n',
    );
  });
});

Deno.test("a prompt may begin with a dash, behind --", async () => {
  await using box = await sandbox();
  answered(await box.fusebox(["--no-stdin", "--", "--Lisbon in my notes?"]));
});

Deno.test("MOCK=1 without a prompt runs the self-test: nine lines that say ok", async () => {
  await using box = await sandbox();
  const { code, stdout, stderr } = await box.fusebox([], { env: { MOCK: "1" } });
  assert.equal(code, 0, stdout + stderr);
  const numbers = [...stdout.matchAll(/^ok (\d) \S/gm)].map(([, number]) => Number(number));
  assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9], stdout);
});

Deno.test("MOCK=1 with a QUESTION runs the loop over both servers, whatever model is named", async () => {
  await using box = await sandbox();
  const ask = (question: string) =>
    box.fusebox(["-m", "no-such/model", "--json"], { env: { MOCK: "1", QUESTION: question } });
  for (const [about, alias] of [["my notes", "notes"], ["the open tickets", "tickets"]]) {
    const { code, stdout, stderr } = await ask(`Search ${about} for the release`);
    assert.equal(code, 0, stderr);
    const { calls, model } = JSON.parse(stdout);
    assert.equal(model, "offline");
    assert.equal(calls[0].alias, alias, stdout);
  }
});
