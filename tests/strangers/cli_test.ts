import assert from "node:assert/strict";
import {
  fetched,
  newPlace,
  type Place,
  programOf,
  type Stranger,
  STRANGERS,
} from "../support/strangers.ts";
import { officialProblems, ownProblems } from "../support/strangers_frames.ts";
import { MARK, marked } from "../support/strangers_visit.ts";
import { ROOT } from "../support/paths.ts";
import { gone } from "../support/processes.ts";
import { linkCache } from "../support/cli.ts";
import { askByHand } from "./raw.ts";

Deno.test.beforeAll(fetched);

interface Use {
  name: string;
  args: Record<string, unknown>;
}

/** Far more than any of it takes. */
const timeout = 120_000;
const NAMES = ["everything", "filesystem"];
const CHOSEN = STRANGERS.filter(({ alias }) => NAMES.includes(alias));
const WINDOWS = Deno.build.os === "windows";

/** A house with two strangers and our two own servers; `tee` writes down what is really said to the strangers. */
class House {
  readonly place: Place;
  readonly mark = crypto.randomUUID();

  constructor(place: Place) {
    this.place = place;
  }

  async furnish(): Promise<void> {
    await linkCache(this.#cache);
    const strangers = CHOSEN.map((stranger) => [stranger.alias, this.#tapped(stranger)]);
    const own = ["notes", "tickets"].map((name) => [
      name,
      { command: "fusebox", args: ["serve-demo", name], env: { [MARK]: this.mark } },
    ]);
    // Never a hedged probe: on a slow machine our own two, of both eras, would become legacy.
    const limits = { probe: "60s", handshake: "60s" };
    const config = { limits, servers: Object.fromEntries([...strangers, ...own]) };
    await Deno.writeTextFile(this.#config, JSON.stringify(config));
  }

  get #cache(): string {
    return `${this.place.folder}/cache`;
  }

  get #config(): string {
    return `${this.place.folder}/house.json`;
  }

  #tapped(stranger: Stranger): object {
    const { command, args, env, cwd } = programOf(stranger, this.place);
    return {
      command: "sh",
      args: ["-c", 'tee "$0.$$" | "$@"', this.#tap(stranger.alias), command, ...args],
      env: { ...env, [MARK]: this.mark },
      cwd,
    };
  }

  #tap(alias: string): string {
    return `${this.place.folder}/${alias}.tap`;
  }

  /** What the calls of this script got, in order. */
  async play(turns: readonly Use[][], ...args: string[]): Promise<unknown[]> {
    const path = `${this.place.folder}/script-${crypto.randomUUID()}.jsonl`;
    const lines = [...turns.map((uses) => ({ uses })), { text: "done" }];
    await Deno.writeTextFile(path, lines.map((line) => JSON.stringify(line)).join("\n"));
    const run = ["go", "--jsonl", "--yes", "-m", `script:${path}`, ...args];
    const { code, out, err } = await this.fusebox(...run);
    assert.equal(code, 0, err);
    return out.trim().split("\n").map((line) => JSON.parse(line))
      .filter(({ type }) => type === "result")
      .map(({ result: { content, isError } }) => ({ content, isError }));
  }

  /** What each process of this server was told. */
  async said(alias: string): Promise<string[]> {
    const found: string[] = [];
    for await (const { name } of Deno.readDir(this.place.folder)) {
      if (!name.startsWith(`${alias}.tap.`)) continue;
      found.push(await Deno.readTextFile(`${this.place.folder}/${name}`));
    }
    return found;
  }

  async fusebox(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-lock", ROOT + "main.ts", ...args, "-c", this.#config],
      cwd: this.place.folder,
      stdin: "null",
      // Our catalogue is not that of who runs the tests.
      env: { [MARK]: this.mark, NO_COLOR: "1", XDG_CACHE_HOME: this.#cache },
    }).output();
    const text = new TextDecoder();
    if (Deno.build.os === "linux") await gone(marked(this.mark));
    return { code, out: text.decode(stdout), err: text.decode(stderr) };
  }
}

Deno.test("fusebox runs two strangers beside its own two servers", {
  ignore: WINDOWS, // No sh, no tee.
  timeout,
}, async (t) => {
  await using place = await newPlace();
  const house = new House(place);
  await house.furnish();

  await t.step("servers --json tells of all four", async () => {
    const { code, out, err } = await house.fusebox("servers", "--json");
    assert.equal(code, 0, err);
    const { servers } = JSON.parse(out);
    const told = Object.fromEntries(
      // deno-lint-ignore no-explicit-any -- what the program printed
      servers.map((it: any) => [it.alias, [it.state, it.dialect.version]]),
    );
    assert.deepEqual(told, {
      everything: ["online", "2025-11-25"],
      filesystem: ["online", "2025-11-25"],
      notes: ["online", "2026-07-28"],
      tickets: ["online", "2026-07-28"],
    });
    for (const stranger of CHOSEN) {
      const { tools } = await askByHand(programOf(stranger, place));
      // deno-lint-ignore no-explicit-any -- as above
      assert.deepEqual(servers.find((it: any) => it.alias === stranger.alias).tools, tools);
    }
  });

  await t.step("call prints what a stranger answers", async () => {
    const sum = await house.fusebox("call", "everything.get-sum", "a=2", "b=3");
    assert.deepEqual([sum.code, sum.out], [0, "The sum of 2 and 3 is 5.\n"]);
    const file = await house.fusebox(
      "call",
      "mcp__filesystem__read_text_file",
      `path=${place.folder}/hello.txt`,
    );
    assert.deepEqual([file.code, file.out], [0, "grüße 👋\n"]);
  });

  await t.step(
    "call ends with 1 when the stranger's tool says no, and says it on stderr",
    async () => {
      const { code, out, err } = await house.fusebox(
        "call",
        "filesystem.read_text_file",
        '{"path": 7}',
      );
      assert.deepEqual([code, out], [1, ""]);
      assert.match(err, /filesystem\.read_text_file said no: .*expected string/s);
      const outside = await house.fusebox("call", "filesystem.read_text_file", "path=/etc/passwd");
      assert.deepEqual([outside.code, outside.out], [1, ""]);
      assert.match(outside.err, /denied/);
    },
  );

  await t.step("the same questions get the same answers in all three modes", async () => {
    const asked: Use[] = [
      { name: "mcp__notes__search", args: { query: "certificate" } },
      { name: "mcp__everything__get-sum", args: { a: 19, b: 23 } },
      { name: "mcp__filesystem__read_text_file", args: { path: `${place.folder}/hello.txt` } },
      { name: "mcp__tickets__create_ticket", args: { title: "Ask IT", due: "2026-12-04" } },
      { name: "mcp__filesystem__read_text_file", args: { path: "/etc/passwd" } },
    ];
    const direct = asked.map((use) => [use]);
    const names = ["notes", ...NAMES, "tickets"];
    const attaching = names.map((server) => ({ name: "attach_server", args: { server } }));
    const inner = asked.map(({ name, args }) => [
      { name: "mcp", args: { action: "call", name, args } },
    ]);
    const refreshed = await house.fusebox("catalog", "refresh");
    assert.equal(refreshed.code, 0, refreshed.err);
    const full = await house.play(direct, "--mode", "full");
    assert.match(JSON.stringify(full), /certificate.*The sum of 19 and 23 is 42.*grüße 👋.*T-/s);
    const refused = full.map((it) => (it as { isError: boolean }).isError);
    assert.deepEqual(refused, [false, false, false, false, true]);
    const lazy = await house.play([attaching, ...direct], "--lazy");
    assert.deepEqual(lazy.slice(attaching.length), full);
    assert.deepEqual(await house.play(direct, "--lazy"), full, "a call attaches by itself");
    assert.deepEqual(await house.play(inner, "--forward"), full);
    assert.deepEqual(await house.play(direct, "--forward"), full, "by the name that search shows");
  });

  await t.step("call ends with 2 for a tool that the stranger does not have", async () => {
    const { code, out, err } = await house.fusebox("call", "everything.get-sun", "a=2", "b=3");
    assert.deepEqual([code, out], [2, ""]);
    assert.match(err, /no such tool.*\n.*everything\.get-sum/);
  });

  await t.step(
    "what went down the strangers' pipes keeps all rules, and nothing else did",
    async () => {
      for (const alias of NAMES) {
        const said = await house.said(alias);
        assert(
          said.length >= 3,
          `${alias} was started for every command that needs it, and no other`,
        );
        for (const text of said) {
          const sent = text.split(/(?<=\n)/);
          assert.deepEqual(ownProblems({ sent, received: [] }, "legacy"), []);
          assert.deepEqual(await officialProblems(sent, place), []);
        }
      }
    },
  );
});
