import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFindings, openSite, type Page, type Site } from "./browser.ts";
import { populate } from "./world.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
  await populate(site);
  await site.api("POST", "/v1/assign", { host: "node-10", ipv4: 9, handle: "many" });
});

afterAll(() => site.close());

/** Opens a page with a table, and waits for its first row. */
async function openTable(path: string) {
  const { page } = await site.open(path);
  await page.locator("main tbody tr").first().waitFor();
  return page;
}

/** Returns the texts of the first column of a table that names its rows, without the counts. */
const names = (page: Page) => page.locator("main tbody td .name:first-child").allTextContents();

const hostsOf = async (page: Page) => (await names(page)).filter((name) => /^node-\d+$/.test(name));

const queryOf = (page: Page) => new URL(page.url()).search;

const press = (page: Page, title: string) =>
  page.getByRole("columnheader", { name: title, exact: true }).getByRole("button").click();

const NODES = ["node-0", "node-1", "node-2", "node-3", "node-4", "node-5", "node-10"];

describe("a table", () => {
  it("is sorted by the title of a column, which the address of the page has", async () => {
    const page = await openTable("/console/hosts");
    await expect.poll(() => hostsOf(page)).toEqual(NODES);
    await press(page, "Host");
    await press(page, "Host");
    await expect.poll(() => hostsOf(page)).toEqual([...NODES].reverse());
    await expect.poll(() => queryOf(page)).toBe("?sort=-Host");
    await page.reload();
    await expect.poll(() => hostsOf(page)).toEqual([...NODES].reverse());
    const header = page.getByRole("columnheader", { name: "Host", exact: true });
    await expect.poll(() => header.getAttribute("aria-sort")).toBe("descending");
    expect(await axeFindings(page)).toEqual([]);
    await page.close();
  });

  it("of hosts has those with the fewest addresses at one end, and with the most at the other", async () => {
    const page = await openTable("/console/hosts");
    await press(page, "In use");
    await expect.poll(async () => (await hostsOf(page))[0]).toBe("node-0");
    await press(page, "In use");
    await expect.poll(async () => (await hostsOf(page))[0]).toBe("node-10");
    await page.close();
  });

  it("shows the rows that match a filter, which the address of the page has", async () => {
    const page = await openTable("/console/hosts?sort=Host");
    await page.getByLabel("Filter: Hosts").fill("NODE-1");
    await page.getByText("2 of 7").waitFor();
    await expect.poll(() => hostsOf(page)).toEqual(["node-1", "node-10"]);
    await expect.poll(() => queryOf(page)).toBe("?sort=Host&filter=NODE-1");
    await page.reload();
    await page.getByText("2 of 7").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByLabel("Filter: Hosts").fill("nobody");
    await page.getByText("0 of 7").waitFor();
    await page.getByLabel("Filter: Hosts").fill("");
    await expect.poll(() => hostsOf(page)).toEqual(NODES);
    await page.close();
  });

  it("of addresses lets nobody release what its filter hides", async () => {
    const page = await openTable("/console/handles/many");
    const addresses = await page.locator("main td[data-title=Address]").allTextContents();
    // The text of one address may begin another one, or the block of every row.
    const table = page.getByRole("region", { name: "Addresses", exact: true });
    const rows = await table.locator("tbody tr").allTextContents();
    const only = (part: string) => rows.filter((text) => text.includes(part)).length === 1;
    const one = addresses.find(only) ?? "";
    await page.getByLabel("Choose all").check();
    await page.getByRole("button", { name: "Release 9 addresses" }).waitFor();
    await page.getByLabel("Filter: Addresses").fill(one);
    await page.getByRole("button", { name: "Release 1 address", exact: true }).waitFor();
    await page.close();
  });
});
