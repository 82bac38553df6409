/** The metrics are what Prometheus reads, by a parser that we did not write, and no stranger adds a series. */
import assert from "node:assert/strict";
import { server, Stage, tool } from "../support/status_stage.ts";

/** A stranger. Untyped, and not a literal import: the program has no use for it. */
const PARSER = "npm:parse-prometheus-text-format@1.1.1";
const parse: (text: string) => Family[] = (await import(PARSER)).default;

interface Family {
  name: string;
  type: string;
  help: string;
  metrics: {
    value?: string;
    labels?: Record<string, string>;
    buckets?: Record<string, string>;
  }[];
}

async function text(stage: Stage): Promise<string> {
  const answer = await stage.get("/metrics");
  assert.equal(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  return await answer.text();
}

async function families(stage: Stage): Promise<Map<string, Family>> {
  return new Map(parse(await text(stage)).map((family) => [family.name, family]));
}

async function house(): Promise<Stage> {
  const stage = new Stage({ facts: { model: 'openai/"odd"\\model\nname' } });
  await stage.put(
    server("notes", { tools: [tool("a"), tool("b")], attaches: 2 }),
    server("weather", {
      state: "offline",
      fuse: { state: "open", failures: 0, since: 0, trialAt: 1, trips: 1 },
    }),
  );
  for (let n = 0; n < 5; n++) stage.call("notes", "a", 5);
  stage.call("weather", "w", 9, "exited");
  stage.ledger.asked("x");
  stage.ledger.spent({ input: 10, output: 2, cachedInput: 6, cacheWrite: 1 });
  return stage;
}

Deno.test("/metrics is read by a parser of the exposition format, value by value", async () => {
  const all = await families(await house());
  const values = (name: string) =>
    Object.fromEntries(
      all.get(name)!.metrics.map(({ labels = {}, value }) => [
        Object.values(labels).join(" "),
        Number(value),
      ]),
    );
  assert.deepEqual(values("fusebox_server_usable"), { notes: 1, weather: 0 });
  assert.deepEqual(values("fusebox_calls_total"), {
    "notes ok": 5,
    "weather ok": 0,
    "weather exited": 1,
  });
  assert.deepEqual(values("fusebox_fuse_opened_total"), { notes: 0, weather: 1 });
  assert.equal(values("fusebox_fuse_state")["weather open"], 1);
  assert.equal(values("fusebox_fuse_state")["weather closed"], 0);
  assert.equal(values("fusebox_server_state")["notes online"], 1);
  assert.equal(values("fusebox_server_attaches_total")["notes"], 2);
  assert.equal(values("fusebox_tools")["notes offered"], 2);
  assert.deepEqual(values("fusebox_model_tokens_total"), {
    input: 10,
    output: 2,
    cached_input: 6,
    cache_write: 1,
  });
  assert.equal(all.get("fusebox_info")!.metrics[0]!.labels!.model, 'openai/"odd"\\model name');
  for (const { name, type, help } of all.values()) {
    assert.match(name, /^fusebox_[a-z_]+$/);
    assert.equal(type === "COUNTER", name.endsWith("_total"), name);
    assert(help.endsWith("."), name);
  }
});

Deno.test("/metrics counts durations into buckets that never fall", async () => {
  const stage = new Stage();
  await stage.put(server("notes")); // The parser takes the histograms of several for one.
  for (const ms of [1, 3, 40, 400, 1_000_000]) stage.call("notes", "a", ms);
  const { type, metrics } = (await families(stage)).get("fusebox_call_duration_seconds")!;
  assert.equal(type, "HISTOGRAM");
  const [notes] = metrics;
  const counts = Object.entries(notes!.buckets!)
    .map(([le, count]) => [le === "+Inf" ? Infinity : Number(le), Number(count)] as const)
    .sort(([a], [b]) => a - b)
    .map(([, count]) => count);
  assert.deepEqual(counts, counts.toSorted((a, b) => a - b));
  assert.equal(notes!.buckets!["0.0025"], "1");
  assert.equal(notes!.buckets!["0.005"], "2");
  assert.equal(notes!.buckets!["300"], "4");
  assert.equal(notes!.buckets!["+Inf"], "5");
  const own = await text(stage); // It has them unread.
  assert.match(own, /^fusebox_call_duration_seconds_count\{alias="notes"\} 5$/m);
  assert.match(own, /^fusebox_call_duration_seconds_sum\{alias="notes"\} 1000\.444$/m);
});

Deno.test("how many series there are is up to the configuration: no stranger's text is a label", async () => {
  const stage = await house();
  const before = (await text(stage)).split("\n").length;
  await stage.put(server("notes", {
    server: { name: "evil" },
    tools: Array.from({ length: 3_000 }, (_, n) => tool(`evil-${n}`)),
  }));
  for (let n = 0; n < 10_000; n++) stage.call("notes", `evil-${n}`);
  const after = await text(stage);
  assert.equal(after.split("\n").length, before);
  assert(!after.includes("evil"));
});

Deno.test("every line of /metrics is one of the exposition format, and no series is there twice", async () => {
  const LABEL = String.raw`[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"`;
  const SAMPLE = new RegExp(
    String.raw`^([a-z_]+(?:\{${LABEL}(?:,${LABEL})*\})?) -?\d+(?:\.\d+)?(?:e[+-]?\d+)?$`,
  );
  const lines = (await text(await house())).trimEnd().split("\n");
  const series = lines.filter((line) => !line.startsWith("# ")).map((line) => {
    const [, name] = SAMPLE.exec(line) ?? assert.fail(line);
    return name;
  });
  assert(series.length > 50);
  assert.equal(new Set(series).size, series.length);
  for (const line of lines.filter((line) => line.startsWith("# "))) {
    assert.match(line, /^# (?:HELP [a-z_]+ .+|TYPE [a-z_]+ (?:counter|gauge|histogram))$/);
  }
});

Deno.test("/metrics is valid where there is nothing to count", async () => {
  assert.equal((await families(new Stage())).get("fusebox_ready")!.metrics[0]!.value, "0");
});
