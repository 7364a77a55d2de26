import "../local/silent.ts";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { type LocalPlat, startPlat } from "../../src/local/plat.ts";
import { CONSOLE_FOLDER, readConsole } from "../../src/local/server.ts";
import type { ConsoleSettings } from "../../src/nouns/console/serve/files.ts";
import type { Surroundings } from "../../src/wiring.ts";
import { call } from "../local/process.ts";
import { AWAITED_MS } from "../patience.ts";
import { seededRandom } from "../simulation/random.ts";

export type { Browser, Page };

type Headers = Readonly<Record<string, string>>;

/** A server with the console, and a browser. */
export interface Site {
  readonly url: string;
  /** Calls the API, and returns the body of its answer. It throws for a rejection. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it field by field
  api(method: string, path: string, body?: unknown, headers?: Headers): Promise<any>;
  /** Opens a page of the console in a window of its own. */
  open(path: string, view?: View): Promise<Window>;
  readonly scheduledRuns: LocalPlat["scheduledRuns"];
  close(): Promise<void>;
}

/** How a window is. */
export interface View {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
  /** Prepares the page before it is loaded. */
  prepare?(page: Page): Promise<unknown>;
}

/** A page of the console, and what happened to it. */
interface Window {
  readonly page: Page;
  /** Errors of scripts, and what the Content-Security-Policy stopped. */
  readonly errors: readonly string[];
  /** The origins that the page asked for something. */
  readonly origins: ReadonlySet<string>;
}

const HEIGHT_PX = 900;
/** A server draws the same addresses each time, so that no test depends on which text is a part of another. */
const SEED = 1;
/** Jobs are done while a test waits; blocks that become empty stay. */
const SCHEDULE = { reclaimSeconds: 3_600, repairSeconds: 3_600, workSeconds: 1 };
/** The first has pages alone. The others draw a browser's own window around each, which takes a third of the processor. */
const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** What is special about a site. */
interface SiteOptions {
  readonly token?: string;
  /** The settings of the console; it signs in by a token if absent. */
  readonly settings?: ConsoleSettings;
  /** The clock of the server, for one. */
  readonly surroundings?: Partial<Surroundings>;
}

/** Starts a server in this process, of which no request runs out of time on a slow machine, and Chromium. */
export async function openSite({ token, settings, surroundings }: SiteOptions = {}): Promise<Site> {
  const console = readConsole(CONSOLE_FOLDER, settings);
  const plat = await startPlat(
    { ...SCHEDULE, storage: { table: "memory" }, port: 0, token, console },
    { random: seededRandom(SEED), elapsedMs: () => 0, ...surroundings },
  );
  const browser = await startChromium();
  const { url, scheduledRuns } = plat;
  return {
    url,
    scheduledRuns,
    async api(method, path, body, headers) {
      const { status, body: answer } = await call(url, method, path, body, headers);
      if (status >= 400) throw new Error(`${method} ${path}: ${answer.detail}`);
      return answer;
    },
    open: (path, view) => openWindow(browser, new URL(path, url), view),
    async close() {
      await browser.close();
      await plat.stop();
    },
  };
}

/** Starts Chromium. */
export async function startChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path));
  if (!executablePath)
    throw new Error(
      "Chromium is not installed: apt-get install chromium-headless-shell, or set CHROMIUM.",
    );
  // Chromium's own sandbox needs rights that a container does not give, and the pages are ours.
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** Opens a page in a window of its own. */
export async function openWindow(
  browser: Browser,
  url: URL,
  { width = 1_280, height = HEIGHT_PX, scheme = "light", prepare }: View = {},
): Promise<Window> {
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: "reduce",
  });
  // Elements and values are awaited alike.
  page.setDefaultTimeout(AWAITED_MS);
  const errors: string[] = [];
  const origins = new Set<string>();
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    // A rejection of the API is no error of the page, though Chromium says so.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
      errors.push(message.text());
  });
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  await prepare?.(page);
  await page.goto(url.href);
  return { page, errors, origins };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The rules of WCAG 2.2, levels A and AA, and those of good practice. What passes them is not described, which takes half of the time. */
const AXE_RUN =
  'axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })';

/** Returns what axe finds on a page, a line for each finding. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate(AXE_RUN)) as AxeResults;
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html }) => `${id}: ${help}: ${html}`),
  );
}
