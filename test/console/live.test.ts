import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFindings, openSite, type Page, type Site } from "./browser.ts";
import { populate } from "./world.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
  await populate(site);
});

afterAll(() => site.close());

/** Opens the reservations under a clock that can be moved, and collects the paths that the page asks for. */
async function openWatched() {
  const asked: string[] = [];
  const { page } = await site.open("/console/reservations", {
    async prepare(prepared) {
      await prepared.clock.install();
      // Tests decide whether the page is in sight.
      await prepared.addInitScript(`
        Object.defineProperty(document, "visibilityState", {
          get: () => sessionStorage.getItem("test-sight") ?? "visible",
        });
      `);
      prepared.on("request", (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.startsWith("/v1/")) asked.push(pathname);
      });
    },
  });
  await page.getByText("routers").first().waitFor();
  return { page, asked };
}

const HOUR = "01:00:00";
/** The time in which a page draws what it has loaded, on its own clock. */
const SECOND_MS = 1_000;

/** Lets an hour pass, and returns what the page asked for in it. */
async function askedInAnHour(page: Page, asked: string[]): Promise<readonly string[]> {
  // The page stops its timers in the frame after a click, and frames come by its clock.
  await page.clock.runFor(SECOND_MS);
  await allSeen(page, asked);
  await page.clock.fastForward(HOUR);
  await page.clock.runFor(SECOND_MS);
  return allSeen(page, asked);
}

/** Waits until the requests so far are seen, forgets them, and returns them. They are seen in their order: each comes before the last one. */
async function allSeen(page: Page, asked: string[]): Promise<readonly string[]> {
  const last = "/v1/health-of-a-test";
  await page.evaluate(`fetch("${last}").then(() => {})`);
  await expect.poll(() => asked).toContain(last);
  return asked.splice(0).filter((path) => path !== last);
}

const see = (page: Page, sight: "visible" | "hidden") =>
  page.evaluate(`
    sessionStorage.setItem("test-sight", "${sight}");
    document.dispatchEvent(new Event("visibilitychange"));
  `);

const RESERVATIONS = "/v1/reservations";

describe("a live page", () => {
  it("asks again by itself", async () => {
    const { page, asked } = await openWatched();
    expect(await askedInAnHour(page, asked)).toContain(RESERVATIONS);
    await page.close();
  });

  it("asks for nothing while it is paused, also after a reload and on other pages, and again when it resumes", async () => {
    const { page, asked } = await openWatched();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    expect(await askedInAnHour(page, asked)).toEqual([]);
    await page.reload();
    await page.getByText("routers").first().waitFor();
    await page.getByRole("link", { name: "Jobs" }).click();
    await page.getByText(/^As of/).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await askedInAnHour(page, asked)).toEqual([]);
    await page.getByRole("button", { name: "Resume" }).click();
    await expect.poll(() => asked).toContain("/v1/jobs");
    await page.close();
  });

  it("asks for nothing while it is out of sight, and at once when it is seen", async () => {
    const { page, asked } = await openWatched();
    await see(page, "hidden");
    expect(await askedInAnHour(page, asked)).toEqual([]);
    await see(page, "visible");
    await expect.poll(() => asked).toContain(RESERVATIONS);
    await page.close();
  });

  it("stays where it is when its loads fail", async () => {
    const { page } = await openWatched();
    const row = page.getByRole("row").filter({ hasText: "routers" });
    const before = await row.boundingBox();
    await page.route("**/v1/**", (route) => route.abort("connectionrefused"));
    await page.clock.fastForward(HOUR);
    await page.getByText(/The page shows the reservations as of/).waitFor();
    expect(await row.boundingBox()).toEqual(before);
    expect(await axeFindings(page)).toEqual([]);
    await page.close();
  });
});

describe("a page of events", () => {
  it("keeps what it has while it is paused, and goes on from there", async () => {
    const { page } = await site.open("/console/events");
    const paused = page.getByRole("row").filter({ hasText: "paused-for" });
    await page.getByRole("row").filter({ hasText: "web-238" }).first().waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await site.api("POST", "/v1/assign", { host: "node-1", ipv4: 1, handle: "paused-for" });
    // Another page that is live has it, so this one would have it too.
    const { page: live } = await site.open("/console/events");
    await live.getByRole("row").filter({ hasText: "paused-for" }).waitFor();
    await live.close();
    expect(await paused.count()).toBe(0);
    await page.getByRole("button", { name: "Resume" }).click();
    await paused.waitFor();
    await page.getByRole("row").filter({ hasText: "web-238" }).first().waitFor();
    await page.close();
  });
});

describe("the alarms", () => {
  it("are counted on every page, on which nothing moves as they come", async () => {
    const alarms: unknown[] = [];
    const { page } = await site.open("/console/", {
      prepare: (prepared) =>
        prepared.route("**/v1/alarms", (route) =>
          route.fulfill({ json: { requestId: "r", alarms } }),
        ),
    });
    const heading = page.getByRole("heading", { name: /pools in the space/ });
    const settings = page.getByRole("link", { name: "Settings" });
    await page.getByText("No threshold is crossed.").waitFor();
    const before = [await heading.boundingBox(), await settings.boundingBox()];
    alarms.push({ id: "PoolExhaustion", pool: "pods", detail: "The pool pods is nearly full." });
    await page.getByRole("link", { name: /^Alarms/ }).click();
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("link", { name: "Alarms 1" }).waitFor();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByText("The pool pods is nearly full.").waitFor();
    expect([await heading.boundingBox(), await settings.boundingBox()]).toEqual(before);
    expect(await axeFindings(page)).toEqual([]);
    await page.close();
  });
});
