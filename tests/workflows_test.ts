/** The workflows that run where we can't see them: what they may do, what they use, and that it exists. @module */
import assert from "node:assert/strict";
import { parse } from "@std/yaml";
import { TARGETS } from "../scripts/compile.ts";
import { ROOT } from "./support/paths.ts";
import config from "../deno.json" with { type: "json" };

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  needs?: string | string[];
  permissions?: Record<string, string>;
  "timeout-minutes"?: number;
  strategy?: { matrix: { include?: { target?: string }[] } };
  steps: Step[];
}

interface Workflow {
  name: string;
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

const FOLDER = `${ROOT}.github/workflows/`;
const WORKFLOWS = Array.from(Deno.readDirSync(FOLDER), ({ name }) => {
  const text = Deno.readTextFileSync(FOLDER + name);
  return { file: name, text, workflow: parse(text) as Workflow };
});
const JOBS = WORKFLOWS.flatMap(({ file, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ name: `${file}: ${name}`, job }))
);
const RUNS = JOBS.flatMap(({ name, job }) =>
  job.steps.flatMap(({ run }) => run === undefined ? [] : [{ name, run }])
);
const RELEASE = WORKFLOWS.find(({ file }) => file === "release.yml")!.workflow;

Deno.test("there are a workflow for every push and one for a tag", () => {
  assert.deepEqual(WORKFLOWS.map(({ file }) => file).sort(), ["ci.yml", "release.yml"]);
});

Deno.test("every action is pinned by its commit, with its version beside it", () => {
  const used = JOBS.flatMap(({ job }) => job.steps.flatMap(({ uses }) => uses ?? []));
  assert(used.length > 5);
  for (const uses of used) assert.match(uses, /^actions\/[a-z-]+@[0-9a-f]{40}$/);
  for (const { file, text } of WORKFLOWS) {
    for (const line of text.split("\n").filter((line) => line.includes("uses:"))) {
      assert.match(line, /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, `${file}: ${line}`);
    }
  }
  // One action in two versions is one that was forgotten.
  const names = new Set(used.map((uses) => uses.split("@")[0]));
  assert.equal(new Set(used).size, names.size, [...new Set(used)].join("\n"));
});

Deno.test("a workflow may read the source; the release alone may write, and nothing runs beside it", () => {
  for (const { file, workflow } of WORKFLOWS) {
    assert.deepEqual(workflow.permissions, { contents: "read" }, file);
  }
  const mighty = JOBS.filter(({ job }) => job.permissions !== undefined);
  assert.deepEqual(mighty.map(({ name, job }) => [name, job.permissions]), [
    ["release.yml: release", {
      contents: "write",
      "id-token": "write",
      attestations: "write",
    }],
  ]);
  for (const { uses, run } of mighty.flatMap(({ job }) => job.steps)) {
    // Neither a package nor what was built may find a token there.
    assert(uses === undefined ? /^case .*\ngh release create /.test(run!) : true, run);
  }
  for (const { name, job } of JOBS) {
    for (const { uses, with: options } of job.steps) {
      if (!uses?.startsWith("actions/checkout@")) continue;
      assert.equal(options?.["persist-credentials"], false, `${name} leaves its token on the disk`);
    }
  }
});

Deno.test("every job ends some day", () => {
  for (const { name, job } of JOBS) assert((job["timeout-minutes"] ?? 360) <= 30, name);
});

Deno.test("every task and every script that a workflow runs exists", () => {
  const tasks = RUNS.flatMap(({ run }) =>
    [...run.matchAll(/\btask ([\w:]+)/g)].map(([, it]) => it!)
  );
  const scripts = RUNS.flatMap(({ run }) =>
    [...run.matchAll(/\bscripts\/[\w/]+\.\w+/g)].map(([it]) => it)
  );
  assert(tasks.includes("compile") && scripts.includes("scripts/release_notes.ts"));
  for (const task of tasks) assert(Object.hasOwn(config.tasks, task), task);
  for (const script of scripts) assert(Deno.statSync(ROOT + script).isFile, script);
});

Deno.test("no command is put together from what others may name: a tag, a branch, a title", () => {
  for (const { name, run } of RUNS) assert(!run.includes("${{"), `${name}: ${run}`);
});

Deno.test("workflows and .ci/run use one version of Deno", () => {
  const texts = [...WORKFLOWS.map(({ text }) => text), Deno.readTextFileSync(`${ROOT}.ci/run`)];
  const versions = texts.flatMap((text) =>
    [...text.matchAll(/deno@([\d.]+)/g)].map(([, it]) => it)
  );
  assert.deepEqual([...new Set(versions)], ["2.9.6"]);
});

Deno.test("a release waits for the tests, the source, and the self-test of each of the five binaries", () => {
  const { release, gather, selftest, test, source } = RELEASE.jobs;
  assert.equal(release!.needs, "gather");
  assert.deepEqual([gather!.needs].flat().sort(), ["selftest", "source", "test"]);
  const tried = selftest!.strategy!.matrix.include!.map(({ target }) => target);
  assert.deepEqual(tried, TARGETS);
  assert(selftest!.steps.some(({ run }) => run?.endsWith(" selftest")));
  assert(source!.steps.some(({ run }) => run?.startsWith("deno install --global ")));
  assert(test!.steps.some(({ run }) => run?.endsWith(" task ok")));
  const runs = [...gather!.steps, ...release!.steps].map(({ run, uses }) => run ?? uses ?? "").join(
    "\n",
  );
  for (const part of ["SHA256SUMS", "install.sh", "attest-build-provenance", "release_notes.ts"]) {
    assert(runs.includes(part), part);
  }
});
