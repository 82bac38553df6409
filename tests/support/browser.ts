/** A browser that is on this machine, driven from outside; where there is none, its tests say so by name. @module */
import { testWhere } from "./cli.ts";

/** Strangers. Not literal imports: neither the program nor its types are to be checked against them. */
const PLAYWRIGHT = "npm:playwright-core@1.65.1";
const AXE = "npm:axe-core@4.14.1";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Where one is, if anywhere. */
export const BROWSER = Deno.env.get("CHROMIUM") || PLACES.find(exists);

/** What we use of playwright's `Locator` and `Page`. */
export interface Locator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  count(): Promise<number>;
  first(): Locator;
  nth(at: number): Locator;
  locator(selector: string): Locator;
  innerText(): Promise<string>;
  allInnerTexts(): Promise<string[]>;
  getAttribute(name: string): Promise<string | null>;
  isVisible(): Promise<boolean>;
  waitFor(options?: { state?: "visible" | "hidden" }): Promise<void>;
}

export interface PageOptions {
  colorScheme?: "light" | "dark";
  viewport?: { width: number; height: number };
  reducedMotion?: "reduce" | "no-preference";
}

export interface Page {
  goto(url: string): Promise<{ status(): number } | null>;
  reload(): Promise<unknown>;
  url(): string;
  title(): Promise<string>;
  locator(selector: string, options?: { hasText?: string | RegExp }): Locator;
  evaluate<T>(script: string): Promise<T>;
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>;
  setDefaultTimeout(ms: number): void;
  // deno-lint-ignore no-explicit-any -- each event has a type of its own
  on(event: string, listener: (it: any) => void): void;
}

export interface Visit {
  page: Page;
  /** What the console said that is a warning or an error, and what was thrown. */
  complaints: string[];
  /** The address of each request. */
  requests: string[];
}

export interface Browser {
  /** A new page, as of somebody who was never here; closed with the browser. */
  visit(options?: PageOptions): Promise<Visit>;
  close(): Promise<void>;
}

/** A test with a browser of its own. */
export function browserTest(name: string, fn: (browser: Browser) => Promise<void>): void {
  testWhere(BROWSER !== undefined, "there is no Chromium", name, async () => {
    const browser = await openBrowser();
    try {
      await fn(browser);
    } finally {
      await browser.close();
    }
  });
}

/** Only where {@linkcode BROWSER} is. */
export async function openBrowser(): Promise<Browser> {
  const { chromium } = await import(PLAYWRIGHT);
  // It sees nothing but our own page, and root has no sandbox.
  const args = ["--no-sandbox", "--disable-dev-shm-usage"];
  const browser = await chromium.launch({ executablePath: BROWSER, args });
  return {
    visit: (options) => visit(browser, options),
    close: () => browser.close(),
  };
}

// deno-lint-ignore no-explicit-any -- a stranger's
async function visit(browser: any, options: PageOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page: Page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  return { page, complaints, requests };
}

/** What keeps people out, by axe: one line each. Only what is serious or critical. */
export async function barriers(page: Page): Promise<string[]> {
  const { default: axe } = await import(AXE);
  await page.evaluate(axe.source);
  const found = await page.evaluate<{ violations: Violation[] }>(
    'axe.run(document, { resultTypes: ["violations"] })',
  );
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`)
    );
}

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}
