/** The state of a run in the text format of Prometheus. @module */
import { BUCKETS } from "./account.ts";
import { NO_TOOLS } from "./inventory.ts";
import type { Sources } from "./report.ts";
import { said } from "./said.ts";
import { isUsable, readiness } from "./readiness.ts";

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

type Labels = Readonly<Record<string, string>>;
/** What follows the name of the family, its labels, its value. */
type Sample = readonly [suffix: string, labels: Labels, value: number];

interface Family {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  samples: readonly Sample[];
}

const MODEL_MAX = 200;
const STATES = ["idle", "attaching", "online", "offline"] as const;
const FUSES = ["closed", "open", "half_open", "probation"] as const;

/**
 * Labels are aliases, the model and words of ours: how many series there are is up to the
 * configuration, and no server can add one.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function metrics(sources: Sources, watching: number): string {
  return families(sources, watching).map(written).join("");
}

function families(sources: Sources, watching: number): Family[] {
  const { view, ledger } = sources;
  const { version, mode, model, startedAt } = view.facts();
  const servers = view.servers();
  const { counts } = sources.inventory.stock();
  const each = (value: (server: typeof servers[number]) => number): Sample[] =>
    servers.map((server) => ["", { alias: server.alias }, value(server)]);
  const states = <S extends string>(
    all: readonly S[],
    of: (server: typeof servers[number]) => S,
  ): Sample[] =>
    servers.flatMap((server) =>
      all.map((state): Sample => ["", { alias: server.alias, state }, Number(of(server) === state)])
    );
  return [
    gauge("fusebox_info", "This run, always 1.", [
      ["", { version, mode, model: model === undefined ? "" : said(model, MODEL_MAX, view) }, 1],
    ]),
    gauge("fusebox_start_time_seconds", "When the run began, in seconds since the epoch.", [
      ["", {}, startedAt / 1_000],
    ]),
    gauge("fusebox_ready", "1 when the run can do its work with the servers it has.", [
      ["", {}, Number(readiness(servers).ready)],
    ]),
    gauge(
      "fusebox_server_usable",
      "1 when a call of the server would go through.",
      each((server) => Number(isUsable(server))),
    ),
    gauge(
      "fusebox_server_state",
      "1 for the state that the server is in.",
      states(STATES, ({ state }) => state),
    ),
    gauge(
      "fusebox_fuse_state",
      "1 for the state that the server's fuse is in.",
      states(FUSES, ({ fuse }) => fuse.state),
    ),
    counter(
      "fusebox_fuse_opened_total",
      "How often the server's fuse opened.",
      each(({ alias }) => ledger.account(alias).opened),
    ),
    counter(
      "fusebox_server_attaches_total",
      "How often the server was attached.",
      each(({ attaches }) => attaches),
    ),
    gauge(
      "fusebox_tools",
      "Tools of the server by what became of them.",
      servers.flatMap(({ alias }) => {
        const { offered, denied, heldBack, quarantined } = counts.get(alias) ?? NO_TOOLS;
        return Object.entries({ offered, denied, held_back: heldBack, quarantined })
          .map(([state, value]): Sample => ["", { alias, state }, value]);
      }),
    ),
    counter(
      "fusebox_calls_total",
      "Calls of tools by how they ended: ok, tool_error, refused, or a reason code.",
      servers.flatMap(({ alias }) =>
        // A series that begins with its first call would hide that one from `increase()`.
        [...new Map([["ok", 0], ...ledger.account(alias).outcomes])]
          .map(([outcome, value]): Sample => ["", { alias, outcome }, value])
      ),
    ),
    {
      name: "fusebox_call_duration_seconds",
      type: "histogram",
      help: "How long calls of tools took.",
      samples: servers.flatMap(({ alias }) => histogram(alias, sources)),
    },
    counter("fusebox_model_requests_total", "Model requests that were begun.", [
      ["", {}, ledger.requests],
    ]),
    counter(
      "fusebox_model_tokens_total",
      "Tokens as the model API counted them; cached ones are part of the input.",
      Object.entries({
        input: ledger.tokens.input,
        output: ledger.tokens.output,
        cached_input: ledger.tokens.cachedInput,
        cache_write: ledger.tokens.cacheWrite,
      }).map(([kind, value]): Sample => ["", { kind }, value]),
    ),
    gauge("fusebox_status_watchers", "Who follows the events of this run.", [["", {}, watching]]),
  ];
}

function histogram(alias: string, { ledger }: Sources): Sample[] {
  const { buckets, total, sumMs } = ledger.account(alias);
  let below = 0;
  const bounded = BUCKETS.map((bound, at): Sample => {
    below += buckets[at]!;
    return ["_bucket", { alias, le: String(bound / 1_000) }, below];
  });
  return [
    ...bounded,
    ["_bucket", { alias, le: "+Inf" }, total],
    ["_sum", { alias }, sumMs / 1_000],
    ["_count", { alias }, total],
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: "gauge", help, samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: "counter", help, samples };
}

function written({ name, type, help, samples }: Family): string {
  const lines = samples.map(([suffix, labels, value]) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
    return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
