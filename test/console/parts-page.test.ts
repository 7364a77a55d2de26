import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFindings, type Browser, openWindow, startChromium } from "./browser.ts";
import { servePartsPage } from "./parts-page.ts";

const PARTS = new URL("../../console/src/parts/", import.meta.url);

/** The names of all components in the folder of parts. */
const components = readdirSync(PARTS)
  .filter((file) => file.endsWith(".tsx"))
  .flatMap((file) => [
    ...readFileSync(new URL(file, PARTS), "utf8").matchAll(
      /^export (?:function|const) ([A-Z]\w+)/gm,
    ),
  ])
  .map(([, name]) => name);

let served: Awaited<ReturnType<typeof servePartsPage>>;
let browser: Browser;

beforeAll(async () => {
  served = await servePartsPage();
  browser = await startChromium();
});

afterAll(async () => {
  await browser.close();
  await served.close();
});

describe.each(["light", "dark"] as const)("the page of parts in %s", (scheme) => {
  it.each([1_280, 390])("shows each part, and axe finds nothing, at %i px", async (width) => {
    const { page, errors } = await openWindow(browser, new URL(served.url), { width, scheme });
    await page.locator(".uplot").waitFor();
    const shown = await page.getByRole("heading", { level: 2 }).allTextContents();
    expect(components.filter((name) => !shown.includes(name ?? ""))).toEqual([]);
    expect(await axeFindings(page)).toEqual([]);
    const beyond = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
    expect([beyond, errors]).toEqual([false, []]);
    await page.close();
  });
});
