import { afterAll, beforeAll, expect, it } from "vitest";
import { openSite, type Site } from "./browser.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

it("somebody who reads the labels alone creates a pool, assigns three addresses, finds one and releases them", async () => {
  const { page, errors } = await site.open("/console/");
  const button = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);

  await button("Create a pool");
  await fill("Name", "first");
  await fill("CIDR", "10.70.0.0/24");
  await button("Show what it would do");
  await button("Create");
  await page.getByText("The pool first is created.").waitFor();
  await button("Close");

  await page.getByRole("link", { name: "first" }).click();
  for (const handle of ["web-0", "web-1", "web-2"]) {
    await button("Assign");
    await fill("Handle", handle);
    await fill("Host", "node-1");
    await button("Show what it would do");
    await page.getByRole("dialog").getByRole("button", { name: "Assign" }).click();
    await page.getByText(`is assigned to ${handle}.`).waitFor();
    await button("Close");
  }
  await page.getByText("3 in use").first().waitFor();

  await page.getByLabel(/^Search for/).fill("we");
  await page.locator("#suggestions option[value=web-1]").waitFor({ state: "attached" });
  await page.getByLabel(/^Search for/).press("Enter");
  await page.getByRole("link", { name: "web-1" }).click();
  await page.getByRole("heading", { level: 1, name: "Handle web-1" }).waitFor();

  await page.getByRole("link", { name: "node-1" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Host node-1" }).waitFor();
  await button("Release all");
  await page.getByText("It releases 3 addresses").waitFor();
  await page.getByLabel(/Type node-1 to confirm/).fill("node-1");
  await button("Release them");
  await page.getByText("3 addresses are released.").waitFor();
  expect((await site.api("GET", "/v1/addresses?state=assigned")).addresses).toEqual([]);
  expect(errors).toEqual([]);
});
