/** The status endpoint: an app over a view of a run, through which nothing can be changed. @module */
import { type Context, Hono } from "hono";
import type { Clock } from "../kit/clock.ts";
import { printableJson } from "../kit/json.ts";
import { type Refusal, refusal, type Rules } from "./guard.ts";
import { Hub } from "./hub.ts";
import { Inventory, type ToolRow } from "./inventory.ts";
import type { Ledger } from "./ledger.ts";
import { metrics, METRICS_TYPE } from "./metrics.ts";
import { Differ } from "./news.ts";
import { type Page, statusPage } from "./page.ts";
import { readiness } from "./readiness.ts";
import { type Sources, statusReport } from "./report.ts";
import { STATUS_SCHEMA } from "./schema.ts";
import type { StatusView } from "./view.ts";

export interface StatusAppOptions extends Rules {
  view: StatusView;
  ledger: Ledger;
  clock: Clock;
  /** Told what was thrown where nothing should be. */
  onBug?: (error: unknown) => void;
}

export interface StatusApp {
  /** Answers a request. Never throws. */
  fetch(request: Request): Response | Promise<Response>;
  /** Tells whoever watches that the run has ended, with how it stands, and lets them go. */
  end(): void;
}

/** What `/tools` says. */
interface Table {
  /** The `tools` of the state that it belongs to. */
  revision: number;
  tools: readonly ToolRow[];
  /** How many there are besides. */
  left: number;
}

/** Nothing is kept by anybody, framed, or read by another site's page. */
const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
const BARE_POLICY = "default-src 'none'; frame-ancestors 'none'";

export function statusApp(options: StatusAppOptions): StatusApp {
  const { view, ledger, clock, onBug = () => {}, ...rules } = options;
  const sources = { view, ledger, inventory: new Inventory(view) };
  const differ = new Differ(sources);
  const hub = new Hub({
    clock,
    snapshot: () => printableJson(statusReport(sources)),
    // Nobody can ask for the table any more.
    last: () => printableJson({ ...statusReport(sources), table: table(sources, LAST_ROWS) }),
    news() {
      const news = differ.next();
      return news && printableJson(news);
    },
  });
  ledger.onNews = () => hub.wake();
  let page: Promise<Page> | undefined;

  const app = new Hono();
  app.use(async (c, next) => {
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
    c.header("content-security-policy", BARE_POLICY);
    const refused = refusal(c.req.raw, rules);
    if (!refused) return await next();
    // The page holds nothing of the run, and is where a person types the token.
    const asks = refused.status === 401 && c.req.path === "/";
    return asks ? await showPage(c, 401) : refuse(c, refused);
  });
  app.get("/", (c) => showPage(c, 200));
  app.get("/status", (c) => json(c, statusReport(sources)));
  app.get("/status.schema.json", (c) => json(c, STATUS_SCHEMA, 200, "application/schema+json"));
  app.get("/tools", (c) => json(c, table(sources)));
  app.get("/events", (c) => {
    const type = { "content-type": "text/event-stream; charset=utf-8" };
    if (c.req.method === "HEAD") return c.body(null, 200, type);
    const stream = hub.watch();
    if (stream) return c.body(stream, 200, type);
    return problem(c, 503, "Cannot show events: too many watch already", { "retry-after": "10" });
  });
  app.get("/health/live", (c) => json(c, { live: true }));
  app.get("/health/ready", (c) => {
    const state = readiness(view.servers());
    return json(c, state, state.ready ? 200 : 503);
  });
  app.get(
    "/metrics",
    (c) => c.body(metrics(sources, hub.watching), 200, { "content-type": METRICS_TYPE }),
  );
  app.notFound((c) => problem(c, 404, `Cannot show ${c.req.path.slice(0, 100)}: no such page`));
  app.onError((error, c) => {
    onBug(error);
    return problem(c, 500, "Cannot show this: a bug in the status page");
  });

  async function showPage(c: Context, status: 200 | 401): Promise<Response> {
    const { html, policy } = await (page ??= statusPage());
    if (status === 401) c.header("www-authenticate", CHALLENGE);
    c.header("content-security-policy", policy);
    return c.body(html, status, { "content-type": "text/html; charset=utf-8" });
  }

  return { fetch: (request) => app.fetch(request), end: () => hub.end() };
}

const LAST_ROWS = 1_000;

/** All tools, or the first `most` of them. */
function table({ inventory }: Sources, most = Infinity): Table {
  const { revision, rows, left } = inventory.stock();
  const all = rows();
  const tools = all.slice(0, most);
  return { revision, tools, left: left + all.length - tools.length };
}

const CHALLENGE = 'Bearer realm="fusebox"';

function refuse(c: Context, { status, why }: Refusal): Response {
  return problem(c, status, why, {
    ...(status === 405 && { allow: "GET, HEAD" }),
    ...(status === 401 && { "www-authenticate": CHALLENGE }),
  });
}

function json(
  c: Context,
  value: unknown,
  status: 200 | 503 = 200,
  type = "application/json",
): Response {
  return c.body(printableJson(value, 2) + "\n", status, {
    "content-type": `${type}; charset=utf-8`,
  });
}

function problem(
  c: Context,
  status: 401 | 403 | 404 | 405 | 500 | 503,
  why: string,
  headers: Record<string, string> = {},
): Response {
  return c.body(printableJson({ error: why }) + "\n", status, {
    "content-type": "application/json; charset=utf-8",
    ...headers,
  });
}
