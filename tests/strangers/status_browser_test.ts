/** The status page in a browser: a run that trips and recovers, hostile servers, barriers, broken lines. */
import assert from "node:assert/strict";
import { barriers, type Browser, browserTest, type Page, type Visit } from "../support/browser.ts";
import { demo, eventually, flaky, type Run, type Sandbox, sandbox } from "../support/cli.ts";
import { ROOT } from "../support/paths.ts";
import { furnish } from "../support/status_house.ts";
import { reason, server, Stage, tool } from "../support/status_stage.ts";

const UPDATE = Deno.env.get("UPDATE_DOCS") === "1";

/** A run whose model goes on for ever; `weather` dies at every call while the file `storm` is there. */
async function longRun(box: Sandbox): Promise<{ run: Run; url: string; storm: string }> {
  const storm = `${box.home}/storm`;
  const shell = (faults: string[]) => {
    const { command, args } = flaky(...faults);
    return `exec ${[command, ...args].map((word) => `'${word}'`).join(" ")}`;
  };
  const weather = {
    command: "sh",
    args: ["-c", `if [ -e '${storm}' ]; then ${shell(["die-on-call"])}; else ${shell([])}; fi`],
    fuse: { failures: 2, backoff: "2s", stable: "2s" },
  };
  const turns = ["notes", "weather"].map((alias) => ({
    uses: alias === "notes"
      ? [{ name: "mcp__notes__search", args: { query: "release" } }]
      : [{ name: "mcp__weather__slow", args: { ms: 60 } }],
    repeat: true,
  }));
  const script = await box.file("turns.jsonl", turns.map((it) => JSON.stringify(it)).join("\n"));
  const run = await box.start(
    ["Go on", "-m", `script:${script}`, "--yes", "--status=0", "--max-steps", "10000"],
    { config: { servers: { notes: demo("notes"), weather } }, patienceMs: 90_000 },
  );
  await run.until("stderr", "Status page: ");
  await run.until("stderr", "\n", run.stderr.indexOf("Status page: "));
  return { run, url: /Status page: (\S+)/.exec(run.stderr)![1]!, storm };
}

/** The state of a circuit, as it stands on the page. */
async function shows(page: Page, alias: string, word: string | RegExp): Promise<void> {
  await page.locator(`[data-alias="${alias}"] .state`, { hasText: word }).waitFor();
}

/** Nothing complained, and nothing was asked of anybody else. */
function checkVisit({ complaints, requests }: Visit, origin: string): void {
  assert.deepEqual(complaints, []);
  assert(requests.length > 0);
  for (const url of requests) {
    assert(url.startsWith(`${origin}/`) || url.startsWith("data:"), url);
  }
}

browserTest(
  "a run is seen as it goes: a server trips and recovers, calls come in, it ends",
  async (browser) => {
    await using box = await sandbox();
    const { run, url, storm } = await longRun(box);
    const seen = await browser.visit();
    const { page } = seen;
    await page.goto(url);
    await shows(page, "notes", /^On$/);
    await shows(page, "weather", /^On$/);
    await page.locator("#link", { hasText: "Live" }).waitFor();
    await page.locator("h1", { hasText: "All 2 circuits are on" }).waitFor();

    // The feed fills, newest on top.
    await page.locator("#feed li", { hasText: "notes.search" }).first().waitFor();
    await page.locator("#feed li", { hasText: "weather.slow" }).first().waitFor();
    const before = await page.locator("#feed time").first().innerText();
    await eventually(async () =>
      await page.locator("#feed time").first().innerText() === before ? "no newer call" : undefined
    );
    assert.equal(await page.locator("[data-alias=weather] .spark polyline").count(), 1);

    // Something goes wrong with one of the two.
    await Deno.writeTextFile(storm, "");
    const { servers } = await (await fetch(`${url}/status`)).json();
    Deno.kill(servers[1].pid, "SIGKILL");
    await shows(page, "weather", "Tripped");
    await page.locator("[data-alias=weather] .next", { hasText: /next trial in \d+/ }).waitFor();
    await page.locator("[data-alias=weather] .why", { hasText: "exited" }).waitFor();
    await page.locator("#trouble li", { hasText: /weather tripped, next trial in \d+/ }).waitFor();
    await page.locator("h1", { hasText: "1 of 2 circuits is on" }).waitFor();
    await page.locator("#feed li", { hasText: "weather: tripped" }).first().waitFor();
    assert.match(await page.title(), /^1 out/);
    await shows(page, "notes", /^On$/);
    const { ready } = await (await fetch(`${url}/health/ready`)).json();
    assert.equal(ready, true, "the other one is enough");

    // And comes right by itself.
    await Deno.remove(storm);
    await shows(page, "weather", /^On/);
    await page.locator("[data-alias=weather] .why").waitFor({ state: "hidden" });
    await shows(page, "weather", /^On$/);
    await eventually(async () => {
      const title = await page.title();
      return title === "fusebox" ? undefined : title;
    });

    // Search reaches both tables.
    await page.locator("#search").fill("search notes");
    await page.locator("#found", { hasText: /^1 of \d+ tools$/ }).waitFor();
    assert.deepEqual(await page.locator("#tool-rows tr td.name").allInnerTexts(), ["notes.search"]);
    assert.deepEqual(await page.locator("#name-rows td").allInnerTexts(), [
      "mcp__notes__search",
      "notes",
      "search",
    ]);
    await page.locator("#search").fill("no such thing");
    await page.locator("#no-tools", { hasText: "No tool has these words." }).waitFor();

    run.send("SIGINT");
    assert.equal((await run.ended).code, 130);
    await page.locator("#link", { hasText: "The run has ended" }).waitFor();
    await page.locator("#over-text", { hasText: "The user left." }).waitFor();
    await shows(page, "notes", /^On$/);
    checkVisit(seen, url);
  },
);

browserTest("a run that was answered says so, and the page keeps how it stood", async (browser) => {
  await using box = await sandbox();
  const release = `${box.home}/go`;
  const wait = `while [ ! -e '${release}' ]; do sleep 0.05; done; exec "$@"`;
  const { command, args } = flaky();
  const late = { command: "sh", args: ["-c", wait, "sh", command, ...args] };
  const script = await box.file("t.jsonl", JSON.stringify({ text: "Done." }));
  const run = await box.start(["hi", "-m", `script:${script}`, "--status=0"], {
    config: { servers: { notes: demo("notes"), late } },
  });
  await run.until("stderr", "\n", await run.until("stderr", "Status page: "));
  const url = /Status page: (\S+)/.exec(run.stderr)![1]!;
  const { page, complaints } = await browser.visit();
  await page.goto(url);
  await shows(page, "notes", /^On$/);
  await shows(page, "late", "Starting");
  await Deno.writeTextFile(release, "");
  assert.equal((await run.ended).code, 0);
  await page.locator("#over-text", { hasText: "It was answered." }).waitFor();
  await shows(page, "late", /^On$/);
  assert.deepEqual(complaints, []);
});

const EVIL = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>"><b>bold</b>';

browserTest(
  "a hostile server is read, and nothing of what it says is run or drawn",
  async (browser) => {
    const stage = new Stage();
    await stage.put(
      server("evil", {
        description: EVIL,
        server: { name: EVIL, version: EVIL },
        state: "offline",
        reason: reason("exited", EVIL, {
          since: Date.now(),
          tail: [EVIL, "</pre><script>pwned=1"],
        }),
        tools: [tool(EVIL, { title: EVIL, description: EVIL })],
        heldBack: [{ tool: EVIL, why: EVIL }],
        problems: [EVIL],
      }),
    );
    stage.call("evil", EVIL, 5, "exited");
    await using place = serve(stage);
    const seen = await browser.visit();
    const { page } = seen;
    await page.goto(place.url);
    await shows(page, "evil", "Offline");
    stage.call("evil", EVIL, 7);
    await page.locator("#feed li", { hasText: "7 ms" }).first().waitFor();
    await page.locator("[data-alias=evil] summary").click();
    assert((await page.locator("#tool-rows").innerText()).includes(EVIL), "it is shown as it is");
    assert((await page.locator("[data-alias=evil] .why").innerText()).includes("<b>bold</b>"));
    assert((await page.locator("#feed").innerText()).includes("<script>"));
    assert.equal(await page.evaluate("window.pwned ?? 0"), 0);
    const elements = 'document.querySelectorAll("img, b, script, iframe").length';
    assert.equal(await page.evaluate(elements), 1, "the page's own script");
    checkVisit(seen, place.url);
  },
);

const DESK = { width: 1280, height: 860 };
const VIEWS = {
  "status-light": { colorScheme: "light", viewport: DESK },
  "status-dark": { colorScheme: "dark", viewport: DESK },
  "status-phone": { colorScheme: "light", viewport: { width: 390, height: 844 } },
  "a small phone": { colorScheme: "dark", viewport: { width: 320, height: 640 } },
} as const;

browserTest(
  "nobody is kept out: axe finds nothing serious, light, dark and on a phone",
  async (browser) => {
    const stage = new Stage({ facts: { model: "anthropic/claude-sonnet-4-5", version: "0.1.0" } });
    await furnish(stage);
    await using place = serve(stage);
    for (const [name, { colorScheme, viewport }] of Object.entries(VIEWS)) {
      const { page } = await browser.visit({ colorScheme, viewport, reducedMotion: "reduce" });
      await page.goto(place.url);
      await page.locator("#tool-rows tr").first().waitFor();
      await page.locator("[data-alias=weather] summary").click();
      if (name !== "a small phone") assert.deepEqual(await barriers(page), [], name);
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      assert(width <= viewport.width, `${name} scrolls sideways: ${width}`);
    }
  },
);

browserTest("all of it is reached by keyboard", async (browser) => {
  const stage = new Stage();
  await furnish(stage);
  await using place = serve(stage);
  const { page } = await browser.visit();
  await page.goto(place.url);
  await page.locator("#tool-rows tr").first().waitFor();
  const reached: string[] = [];
  for (let n = 0; n < 40; n++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate<string>(
      `(({ id, tagName, className }) => id || className || tagName)(document.activeElement)`,
    );
    if (at === "BODY") break;
    reached.push(at);
    if (at === "SUMMARY" && !reached.includes("opened")) {
      await page.keyboard.press("Enter");
      assert.equal(await page.locator("details[open]").count(), 1);
      reached.push("opened");
    }
    if (at === "theme") {
      await page.keyboard.press("Enter");
      assert.equal(await page.locator("#theme").innerText(), "Theme: light");
    }
    if (at === "search") await page.keyboard.type("forecast");
  }
  for (const stop of ["skip", "theme", "pause", "feed", "search", "opened"]) {
    assert(reached.includes(stop), `${stop} is not among ${reached.join(", ")}`);
  }
  await page.locator("#found", { hasText: /^1 of/ }).waitFor();
  await page.locator("#trouble a").first().press("Enter");
  assert.equal(await page.evaluate("document.activeElement.dataset.alias"), "weather");
});

browserTest(
  "a long watch: days have dates, what is read stays as it is, many fit",
  async (browser) => {
    const before = Date.now() - 3 * 86_400_000;
    const stage = new Stage({ facts: { startedAt: before } });
    const ref = { alias: "s1", tool: "old" };
    stage.ledger.called({ ref, at: before, ms: 1, outcome: "ok" });
    const tools = Array.from({ length: 120 }, (_, n) => tool(`t${n}`));
    const others = Array.from({ length: 39 }, (_, n) => server(`s${n + 2}`));
    await stage.put(server("s1", { tools }), ...others);
    await using place = serve(stage);
    const { page, requests } = await browser.visit();
    await page.goto(place.url);
    const old = page.locator("#feed li", { hasText: "s1.old" });
    assert.match(await old.locator("time").innerText(), /^\d+ \w+, \d\d:\d\d$/);
    assert.match(await page.locator("#facts").innerText(), /up\s+3\sdays/);

    stage.call("s1", "new");
    stage.ledger.asked("0123456789abcdef");
    await page.locator("#facts", { hasText: "0123456789abcdef" }).waitFor();
    await page.evaluate("kept = [...document.querySelectorAll('#facts dd, #feed li')]");
    stage.ledger.asked("0123456789abcdef");
    await page.locator("#facts dd", { hasText: /^2$/ }).waitFor();
    assert.equal(await page.evaluate("kept.every((it) => it.isConnected)"), true);

    await page.locator("#found", { hasText: "120 tools, the first 50 are shown" }).waitFor();
    await page.evaluate("kept = [...document.querySelectorAll('#tool-rows tr, #name-rows tr')]");
    const asked = () => requests.filter((url) => url.endsWith("/tools")).length;
    assert.equal(asked(), 1);
    await stage.put(server("s1", { tools: [...tools] }));
    await eventually(() => asked() === 2 ? undefined : "it does not look");
    stage.ledger.asked("0123456789abcdef");
    await page.locator("#facts dd", { hasText: /^3$/ }).waitFor();
    assert.equal(
      await page.evaluate("kept.length === 100 && kept.every((it) => it.isConnected)"),
      true,
    );
    await page.locator("#more").click();
    assert.equal(await page.locator("#tool-rows tr").count(), 120);
    assert.equal(
      await page.evaluate("document.activeElement.id"),
      "tools",
      "the focus has a place",
    );
    assert.deepEqual(await barriers(page), []);
    const height = await page.evaluate<number>("document.getElementById('panel').offsetHeight");
    assert(height < 2_400, `40 circuits are ${height} pixels high`);

    await place.cut();
    const next = new Stage({ facts: { version: "0.0.1" } });
    await next.put(server("s1"));
    await using _later = serve(next, Number(new URL(place.url).port));
    await page.locator("#version", { hasText: "fusebox 0.0.1" }).waitFor();
    assert.equal(
      await page.evaluate("typeof kept"),
      "undefined",
      "another fusebox has its own page",
    );
  },
);

browserTest(
  "a line that breaks is taken up again, and the next run is found on it",
  async (browser) => {
    const stage = new Stage({ facts: { id: "first" } });
    await stage.put(server("a"));
    let place = serve(stage);
    const port = Number(new URL(place.url).port);
    const { page } = await browser.visit();
    await page.goto(place.url);
    await shows(page, "a", /^On$/);
    stage.call("a", "before");
    await page.locator("#feed li", { hasText: "a.before" }).waitFor();
    await place.cut();
    await page.locator("#link", { hasText: "No connection" }).waitFor();
    assert.equal(await page.title(), "no connection · fusebox");
    await shows(page, "a", /^On$/);
    stage.call("a", "meanwhile");
    await stage.put(server("a", { state: "idle" }), server("b"));
    place = serve(stage, port);
    await shows(page, "a", "Resting");
    await shows(page, "b", /^On$/);
    await page.locator("#link", { hasText: /^Live$/ }).waitFor();
    const fed = (await page.locator("#feed .who").allInnerTexts()).filter((it) => it[1] === ".");
    assert.deepEqual(fed, ["a.meanwhile", "a.before"], "nothing is lost, and nothing there twice");

    stage.ledger.ending = "answered";
    stage.app.end();
    await page.locator("#link", { hasText: "The run has ended" }).waitFor();
    assert.equal(await page.title(), "ended · fusebox");
    await place.cut();
    await page.locator("#again").click();
    const next = new Stage({ facts: { id: "second" } });
    await next.put(server("c"));
    await using _last = serve(next, port);
    await shows(page, "c", /^On$/);
    await page.locator("#over").waitFor({ state: "hidden" });
    await page.locator("#link", { hasText: "Live: a later run" }).waitFor();
    assert.equal(await page.locator(".breaker").count(), 1, "those of the first run are gone");
    assert.deepEqual(await page.locator("#feed .who").allInnerTexts(), ["c: on"]);
  },
);

browserTest(
  "a page with a token asks for it, and keeps it out of every address",
  async (browser) => {
    const token = "0123456789abcdef";
    const stage = new Stage({ token });
    await stage.put(server("a"));
    await using place = serve(stage);
    const typed = await browser.visit();
    await typed.page.goto(place.url);
    await typed.page.locator("#token").fill("a wrong one, of course");
    await typed.page.locator("#token").press("Enter");
    await typed.page.locator("#sign-in-why", { hasText: "not the right one" }).waitFor();
    assert.equal(await typed.page.locator(".breaker").count(), 0);
    await typed.page.locator("#token").fill(token);
    await typed.page.locator("#token").press("Enter");
    await shows(typed.page, "a", /^On$/);
    await typed.page.reload();
    await shows(typed.page, "a", /^On$/);

    const given = await browser.visit();
    await given.page.goto(`${place.url}/#token=${token}`);
    await shows(given.page, "a", /^On$/);
    assert.equal(given.page.url(), `${place.url}/`);
    for (const url of [...typed.requests, ...given.requests].map((it) => it.split("#")[0]!)) {
      assert(!url.includes(token), url);
    }
  },
);

/** A run with something of everything, that stands still in the midst of its last call. */
async function pictured(box: Sandbox): Promise<{ run: Run; url: string }> {
  const servers = {
    notes: { ...demo("notes"), required: true },
    tickets: demo("tickets"),
    weather: { ...flaky("die-on-call=echo"), fuse: { failures: 2, backoff: "5m" } },
    maps: flaky(),
    browser: flaky("slow-start=120000"),
    payments: { command: "pay-server" },
    crm: { ...flaky(), disabled: true },
  };
  const use = (name: string, args = {}) => ({ name: `mcp__${name}`, args });
  const round = (query: string, at: number) => [
    [use("notes__search", { query }), use("tickets__search", { query })],
    [use("notes__read_note", { id: `n-${at + 1}` }), use("maps__slow", { ms: 20 + at * 37 % 60 })],
  ];
  const queries = ["release", "certificate", "garden", "invoice", "backup", "Friday", "login"];
  const turns = [
    ...queries.flatMap((
      query,
      at,
    ) => [[use("weather__slow", { ms: 90 + at * 29 % 50 })], ...round(query, at)]),
    ...Array(2).fill([use("weather__echo", { text: "hello" })]),
    ...queries.flatMap(round),
    [use("weather__slow", { ms: 1 })],
    [use("tickets__close_ticket", {})],
    [use("tickets__search", { query: "T-1" })],
  ];
  const still = [use("maps__slow", { ms: 120_000 })];
  await box.file(
    "turns.jsonl",
    [...turns, still].map((uses) => JSON.stringify({ uses })).join("\n"),
  );
  const run = await box.start(
    ["What is new?", "-m", "script:turns.jsonl", "--yes", "--status=0", "--max-steps", "100"],
    { config: { servers, limits: { start: "2s" } }, patienceMs: 90_000 },
  );
  await run.until("stderr", "\n", await run.until("stderr", "Status page: "));
  return { run, url: /Status page: (\S+)/.exec(run.stderr)![1]! };
}

browserTest("pictures of it are in docs/, of a real run", async (browser) => {
  await using box = await sandbox();
  const taken = UPDATE ? await pictured(box) : undefined;
  for (const [name, view] of Object.entries(VIEWS)) {
    if (!name.startsWith("status-")) continue;
    const path = `${ROOT}docs/${name}.png`;
    if (taken) await picture(browser, taken.url, view, path);
    const { size } = await Deno.stat(path);
    assert(size > 10_000 && size < 300_000, `${name}: ${size} bytes`);
  }
  taken?.run.send("SIGTERM");
  await taken?.run.ended;
});

async function picture(
  browser: Browser,
  url: string,
  view: Parameters<Browser["visit"]>[0],
  path: string,
): Promise<void> {
  const { page } = await browser.visit({ ...view, reducedMotion: "reduce" });
  await page.goto(url);
  await page.locator("#feed li", { hasText: "close_ticket" }).first().waitFor();
  await page.locator("#tool-rows tr").first().waitFor();
  await page.screenshot({ path });
}

interface Place extends AsyncDisposable {
  url: string;
  /** Ends it as a crash would: nobody is told. */
  cut(): Promise<void>;
}

function serve(stage: Stage, port = 0): Place {
  const end = new AbortController();
  const listener = Deno.serve(
    { hostname: "127.0.0.1", port, signal: end.signal, onListen: () => {} },
    (request) => stage.app.fetch(request),
  );
  const cut = async () => {
    end.abort();
    await listener.finished;
  };
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    cut,
    async [Symbol.asyncDispose]() {
      stage.app.end(); // Its timers go with it.
      await cut();
    },
  };
}
