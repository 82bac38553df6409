import assert from "node:assert/strict";
import type { Params } from "../../../lib/protocol/types.ts";
import { type Fake, NUMBER, Refusal, talk, TEXT, tool, uses } from "../../support/house.ts";

Deno.test("offlineModel() repairs a date that the tool refused", async () => {
  const { steps, answer } = await talk('open a ticket "Ship 1.0" due next friday');
  assert.deepEqual(steps.flat(), [
    'tickets__create_ticket {"title":"Ship 1.0","due":"next friday"}',
    'tickets__create_ticket {"title":"Ship 1.0","due":"2026-12-04"}',
  ]);
  assert.match(answer, /^Created T-6 .*due "next friday" mended to "2026-12-04"/);
});

Deno.test("offlineModel() takes a name that the refusal offers, for a tool that only looks", async () => {
  assert.deepEqual(await uses("read the release note"), [
    'notes__read_note {"title":"release"}',
    'notes__read_note {"title":"Release checklist"}',
  ]);
});

Deno.test("offlineModel() mends enums, numbers, bounds, unknown and missing arguments as the text says", async () => {
  const strict = (
    refusals: readonly [(args: Params) => boolean, string][],
    properties: Params,
    required: string[] = [],
  ) =>
    tool("lab", "run_probe", "Runs a probe", properties, required, (args) => {
      const refusal = refusals.find(([wrong]) => wrong(args));
      return refusal ? new Refusal(refusal[1]) : `ran ${JSON.stringify(args)}`;
    });
  const cases: [Fake, string, string][] = [
    [
      strict([[
        ({ level }) => level === "urgent",
        '"level" must be one of low, medium, high, critical',
      ]], { level: TEXT }),
      "run the probe level=urgent",
      '{"level":"critical"}',
    ],
    [
      strict([[
        ({ mode }) => mode === "Fast",
        "mode: Invalid enum value. Expected 'fast' | 'slow', received 'Fast'",
      ]], { mode: TEXT }),
      "run the probe mode=Fast",
      '{"mode":"fast"}',
    ],
    [
      strict([[
        ({ count }) => typeof count !== "number",
        '"count" must be a number, got "7 times"',
      ]], { count: TEXT }),
      'run the probe with count "7 times"',
      '{"count":7}',
    ],
    [
      strict([[
        ({ n }) => typeof n === "string",
        'MCP error -32602: Invalid arguments: [\n {"code":"invalid_type","expected":"number","path":["n"],"message":"Invalid input: expected number, received string"}\n]',
      ]], { n: TEXT }),
      "run the probe n=12",
      '{"n":12}',
    ],
    [
      strict([[({ size }) => Number(size) > 10, '"size" must be at most 10, got 50']], {
        size: NUMBER,
      }),
      "run the probe size=50",
      '{"size":10}',
    ],
    [
      strict([[
        ({ extra }) => extra !== undefined,
        'Unknown argument "extra": the arguments are "kind"',
      ]], { kind: TEXT, extra: TEXT }),
      "run the probe kind=a extra=b",
      '{"kind":"a"}',
    ],
    [
      strict([[({ label }) => label === undefined, '"label" is required']], {
        kind: TEXT,
        label: TEXT,
      }),
      'run the probe kind=a called "x y"',
      '"label":"x y"',
    ],
  ];
  for (const [probe, prompt, want] of cases) {
    const { answer, steps } = await talk(prompt, [probe]);
    assert.ok(answer.includes(want), `${prompt}: ${answer} ${JSON.stringify(steps)}`);
  }
});

Deno.test("offlineModel() gives up on a tool that refuses everything, and on refusals of the call as such", async () => {
  let calls = 0;
  const mule = tool("lab", "run_probe", "Runs a probe", { level: TEXT }, ["level"], ({ level }) => {
    calls++;
    return new Refusal(`"level" must be one of ${level}a, ${level}b`);
  });
  const { answer } = await talk("run the probe level=x", [mule]);
  assert.ok(calls <= 3, `${calls} calls`);
  assert.match(answer, /mcp__lab__run_probe said no/);
  for (
    const text of [
      '"level" timed out after 60 s: must be one of a, b',
      'Not allowed: "level" needs --allow; expected one of "a", "b"',
    ]
  ) {
    const closed = tool(
      "lab",
      "run_probe",
      "Runs a probe",
      { level: TEXT },
      ["level"],
      () => new Refusal(text),
    );
    assert.equal((await talk("run the probe level=x", [closed])).steps.length, 1);
  }
});

Deno.test("offlineModel() asks a search that found nothing once more, for less", async () => {
  assert.deepEqual(await uses("search tickets for xyzzy plughs"), [
    'tickets__search {"query":"xyzzy plughs"}',
    'tickets__search {"query":"plughs"}',
  ]);
});

Deno.test("offlineModel() goes on where words of a schema or a refusal are objects that are no text", async () => {
  const odd = { toString: 1, valueOf: 1 };
  const issue = { path: [odd], message: odd, expected: odd };
  const own = { path: ["mode"], message: odd, values: [odd] };
  const fake = tool(
    "lab",
    "run_probe",
    "Runs a probe",
    { mode: { enum: [odd, [odd], "fast"] } },
    ["mode"],
    () => new Refusal(JSON.stringify({ issues: [issue, own] })),
  );
  assert.equal(
    (await uses("run the probe mode=fast", [fake]))[0],
    'lab__run_probe {"mode":"fast"}',
  );
});
