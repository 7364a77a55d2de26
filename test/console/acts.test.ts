import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFindings, openSite, type Site } from "./browser.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
  for (const [name, cidr] of Object.entries(POOLS))
    await site.api("PUT", `/v1/pools/${name}`, { cidr });
  await site.api("POST", "/v1/assign", {
    host: "node-1",
    address: OWNED,
    handle: "owned",
    leaseSeconds: 600,
    attributes: { pod: "db-0" },
  });
  await site.api("PUT", "/v1/reservations/routers", { cidrs: ["10.50.0.0/28"] });
  await site.api("PUT", "/v1/quotas/red", { tenant: "red", addresses: 500 });
  for (const [handle, address] of Object.entries(HELD))
    await site.api("POST", "/v1/assign", { host: "node-1", address, handle });
  for (const handle of SEVERAL)
    await site.api("POST", "/v1/assign", { host: "node-5", ipv4: 1, pools: ["main"], handle });
  const [reported] = (await site.api("GET", "/v1/handles/reported")).addresses;
  const { generation } = reported;
  await site.api("POST", `/v1/addresses/${HELD.reported}/conflict`, { generation });
});

afterAll(() => site.close());

const POOLS = {
  main: "10.50.0.0/24",
  changed: "10.51.0.0/24",
  stale: "10.52.0.0/24",
  drained: "10.53.0.0/24",
  deleted: "10.54.0.0/24",
  shell: "10.55.0.0/24",
};
const SEVERAL = ["several-0", "several-1", "several-2"];
const HELD = {
  released: "10.50.0.20",
  hit: "10.50.0.21",
  reported: "10.50.0.22",
  "shop/web-0": "10.50.0.23",
  other: "10.50.0.24",
};
const ANY_VERSION = { "if-match": "*" };
const FREE = "10.50.0.99";
/** It has a lease, and an active owner. */
const OWNED = "10.50.0.25";

const dialogOn = (page: Page) => page.getByRole("dialog");
const press = (page: Page, name: string) =>
  dialogOn(page).getByRole("button", { name, exact: true }).click();
const showFirst = (page: Page) => press(page, "Show what it would do");

const fieldOf = (page: Page, label: string) => dialogOn(page).getByLabel(label);

/** Opens a page, and the dialog of one of its acts by its button. */
async function openAct(path: string, button: string) {
  const { page } = await site.open(path);
  await page.getByRole("button", { name: button, exact: true }).click();
  await dialogOn(page).waitFor();
  return page;
}

describe("the dialogs", () => {
  const DIALOGS: readonly [path: string, title: string][] = [
    ["/console/?act=create", "Create a pool"],
    ["/console/pools/main?act=change", "Change the pool main"],
    ["/console/pools/main?act=drain", "Drain the pool main"],
    ["/console/pools/main?act=delete", "Delete the pool main"],
    ["/console/reservations?act=reserve", "Reserve addresses"],
    ["/console/reservations?name=routers&act=change", "Change the reservation routers"],
    ["/console/reservations?name=routers&act=delete", "Delete the reservation routers"],
    [`/console/addresses/${FREE}?act=assign`, `Assign ${FREE}`],
    [`/console/addresses/${HELD.other}?act=release`, `Release ${HELD.other}`],
    [`/console/addresses/${HELD.other}?act=quarantine`, `Quarantine ${HELD.other}`],
    [`/console/addresses/${HELD.reported}?act=lift`, `End the quarantine of ${HELD.reported}`],
    [`/console/addresses/${OWNED}?act=owners`, `Change the owners of ${OWNED}`],
    [`/console/addresses/${OWNED}?act=renew`, `Renew the lease of ${OWNED}`],
    ["/console/handles/other?act=release", "Release all addresses of other"],
    ["/console/pools/main?act=assign", "Assign an address of the pool main"],
    ["/console/settings?act=change", "Change the settings of the space"],
    ["/console/settings?act=quota", "Create a quota"],
    ["/console/settings?quota=red&act=change", "Change the quota red"],
    ["/console/settings?quota=red&act=delete", "Delete the quota red"],
    ["/console/hosts/node-1?act=release", "Release all addresses of node-1"],
  ];

  it.each(DIALOGS)(
    "%s opens “%s”: axe finds nothing, wide or at 360 pixels",
    async (path, title) => {
      const { page, errors } = await site.open(path);
      await page.getByRole("dialog", { name: title }).waitFor();
      await page.getByText("Waiting for Plat…").waitFor({ state: "detached" });
      expect(await axeFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 640 });
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await axeFindings(page)).toEqual([]);
      const isWider = `(() => {
      const dialog = document.querySelector("dialog");
      return dialog.scrollWidth > dialog.clientWidth || dialog.getBoundingClientRect().right > innerWidth;
    })()`;
      await expect.poll(() => page.evaluate(isWider)).toBe(false);
      expect(errors).toEqual([]);
      await page.close();
    },
  );

  it("tell what is wrong at its field, which gets the focus, and keep result and buttons in view", async () => {
    const { page } = await site.open("/console/?act=create", { width: 1_440, height: 900 });
    await dialogOn(page).getByText("More settings, all optional").click();
    await fieldOf(page, "Name").fill("wrong");
    await fieldOf(page, "CIDR").fill("10.50.0.0/99");
    await showFirst(page);
    const error = dialogOn(page).locator("#field-cidr-error");
    await error.waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("field-cidr");
    await expect.poll(() => fieldOf(page, "CIDR").getAttribute("aria-invalid")).toBe("true");
    for (const part of [error, dialogOn(page).locator(".buttons")]) {
      const { y = -1, height = 0 } = (await part.boundingBox()) ?? {};
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + height).toBeLessThanOrEqual(900);
    }
    expect(await axeFindings(page)).toEqual([]);
    await page.close();
  });

  it("show no dry run of an input that has changed meanwhile", async () => {
    const page = await openAct("/console/", "Create a pool");
    const answers: (() => void)[] = [];
    await page.route("**/v1/pools/dry?dryRun=true", async (route) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      await route.continue();
    });
    await fieldOf(page, "Name").fill("dry");
    await fieldOf(page, "CIDR").fill("10.61.0.0/24");
    await showFirst(page);
    await page.getByText("Waiting for Plat…").waitFor();
    await fieldOf(page, "CIDR").fill("10.62.0.0/24");
    const answered = page.waitForResponse(/dryRun/);
    answers[0]?.();
    await (await answered).finished();
    await showFirst(page);
    // The second one is under way and held, so nothing of it hides what came of the first.
    await expect.poll(() => answers.length).toBe(2);
    expect(await dialogOn(page).locator("dd").count()).toBe(0);
    answers[1]?.();
    await dialogOn(page).locator("dd", { hasText: "10.62.0.0/24" }).waitFor();
    await page.close();
  });

  it("close by Escape, and the focus returns to the button", async () => {
    const page = await openAct("/console/pools/main", "Change");
    await page.keyboard.press("Escape");
    await dialogOn(page).waitFor({ state: "detached" });
    await expect.poll(() => new URL(page.url()).search).toBe("");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Change");
    await page.close();
  });
});

describe("pools", () => {
  it("are created after a dry run has shown the fields, and a rejection keeps what was entered", async () => {
    const page = await openAct("/console/", "Create a pool");
    await fieldOf(page, "Name").fill("new");
    await fieldOf(page, "CIDR").fill("10.50.0.0/25");
    await showFirst(page);
    await page.getByText("409 pool_overlap").waitFor();
    await fieldOf(page, "CIDR").fill("10.60.0.0/24");
    await showFirst(page);
    await dialogOn(page).locator("dt", { hasText: "blockSize" }).waitFor();
    expect(
      (await site.api("GET", "/v1/pools")).pools.map(({ name }: { name: string }) => name),
    ).not.toContain("new");
    await press(page, "Create");
    await page.getByText("is created").waitFor();
    await press(page, "Close");
    await page.getByRole("link", { name: "new" }).waitFor();
    expect(await site.api("GET", "/v1/pools/new")).toMatchObject({ cidr: "10.60.0.0/24" });
    await page.close();
  });

  it("change in the version that was read, after the dry run has shown what differs", async () => {
    const page = await openAct("/console/pools/changed", "Change");
    await fieldOf(page, "Disabled").check();
    await fieldOf(page, "Other fields").fill('{"mtu": 1400');
    await showFirst(page);
    await page.getByText("must be a JSON object").waitFor();
    await fieldOf(page, "Other fields").fill('{"mtu": 1400}');
    await showFirst(page);
    await page.getByRole("row", { name: "disabled false true" }).waitFor();
    await page.getByRole("row", { name: "mtu — 1400" }).waitFor();
    const sent = page.waitForRequest((request) => request.method() === "PUT");
    await press(page, "Change");
    expect((await sent).headers()["if-match"]).toMatch(/^"/);
    await page.getByText("is changed").waitFor();
    const changed = { disabled: true, mtu: 1_400 };
    expect(await site.api("GET", "/v1/pools/changed")).toMatchObject(changed);
    await page.close();
  });

  it("do not change if somebody else has changed them: the page says so, and reads again", async () => {
    const page = await openAct("/console/pools/stale", "Change");
    await fieldOf(page, "Cooldown").fill("77");
    await showFirst(page);
    await page.getByRole("row", { name: /cooldownSeconds/ }).waitFor();
    await site.api("PUT", "/v1/pools/stale", { cidr: POOLS.stale, disabled: true }, ANY_VERSION);
    await press(page, "Change");
    await page.getByText("412 precondition_failed").waitFor();
    await page.getByText("The pool stale has changed since it was read").waitFor();
    await press(page, "Read it again");
    await page.locator("main .state", { hasText: "disabled" }).waitFor();
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await expect.poll(() => fieldOf(page, "Disabled").isChecked()).toBe(true);
    await fieldOf(page, "Cooldown").fill("77");
    await showFirst(page);
    await press(page, "Change");
    await page.getByText("is changed").waitFor();
    await page.close();
  });

  it("drain after the dry run has said what follows, and lead to their job", async () => {
    const page = await openAct("/console/pools/drained", "Drain");
    await page.getByRole("heading", { name: "What it would do" }).waitFor();
    await press(page, "Drain");
    await page.getByRole("link", { name: "Its job" }).waitFor();
    // The sentence of the API has a time, which is shown as all others are.
    await dialogOn(page)
      .getByText(/\. .* UTC \(in .*\)/)
      .first()
      .waitFor();
    expect(await dialogOn(page).textContent()).not.toMatch(/\dT\d/);
    await page.getByRole("link", { name: "Its job" }).click();
    await page.getByRole("heading", { level: 1, name: /Job/ }).waitFor();
    await page.getByText("pool.drain").waitFor();
    await page.close();
  });

  it("are deleted by who types their name", async () => {
    const page = await openAct("/console/pools/deleted", "Delete");
    await page.getByRole("heading", { name: "What it would do" }).waitFor();
    const button = dialogOn(page).getByRole("button", { name: "Delete the pool" });
    await expect.poll(() => button.isDisabled()).toBe(true);
    await fieldOf(page, "This cannot be undone").fill("delete");
    await expect.poll(() => button.isDisabled()).toBe(true);
    await fieldOf(page, "This cannot be undone").fill("deleted");
    await button.click();
    await page.getByRole("link", { name: "Its job" }).waitFor();
    expect(await site.api("GET", "/v1/pools/deleted")).toMatchObject({ state: "deleting" });
    await page.close();
  });

  it("say of a change without an answer that it may have been made", async () => {
    const page = await openAct("/console/pools/main", "Drain");
    await page.getByRole("heading", { name: "What it would do" }).waitFor();
    await page.route("**/drain", (route) => route.abort("connectionreset"));
    await press(page, "Drain");
    await page.getByText("The change may have been made").waitFor();
    await page.close();
  });
});

describe("reservations", () => {
  it("come with the warnings of the dry run, change, and go with their name typed", async () => {
    const page = await openAct("/console/reservations", "Reserve");
    await fieldOf(page, "Name").fill("printers");
    await fieldOf(page, "Ranges").fill("10.50.0.16/28\n10.50.0.40");
    await fieldOf(page, "Reason").fill("old devices");
    await showFirst(page);
    await dialogOn(page).getByText("covers").waitFor();
    await press(page, "Reserve");
    await page.getByText("are reserved as printers").waitFor();
    await press(page, "Close");
    await page.getByRole("link", { name: "printers" }).click();
    await page.getByRole("button", { name: "Change" }).click();
    await fieldOf(page, "Ranges").fill("10.50.0.40");
    await showFirst(page);
    await page.getByRole("row", { name: /10\.50\.0\.16\/28, 10\.50\.0\.40/ }).waitFor();
    await press(page, "Change");
    await page.getByText("is changed").waitFor();
    await press(page, "Close");
    expect(await site.api("GET", "/v1/reservations/printers")).toMatchObject({
      cidrs: ["10.50.0.40"],
      reason: "old devices",
    });
    await page.getByRole("button", { name: "Delete" }).click();
    await fieldOf(page, "This cannot be undone").fill("printers");
    await press(page, "Delete the reservation");
    await page.getByText("is deleted").waitFor();
    await press(page, "Close");
    await page.getByText("404 not_found").waitFor();
    await page.close();
  });
});

describe("settings", () => {
  it("change in the version that was read, and the lines for a shell set the same", async () => {
    const page = await openAct("/console/settings", "Change the settings");
    await fieldOf(page, "Cooldown seconds").fill("soon");
    await showFirst(page);
    await dialogOn(page).locator("#field-cooldownSeconds-error").waitFor();
    await fieldOf(page, "Cooldown seconds").fill("45");
    await fieldOf(page, "Strict affinity").check();
    await fieldOf(page, "Max blocks per host").fill("");
    await showFirst(page);
    await page.getByRole("row", { name: "strictAffinity false true" }).waitFor();
    await dialogOn(page).getByText("The same in a shell").click();
    const [plat = ""] = await dialogOn(page).locator(".shell-line code").allTextContents();
    expect(plat).toBe(
      `plat configure --strictaffinity true --max-blocks-per-host none --cooldown-seconds 45 --endpoint ${site.url}`,
    );
    const sent = page.waitForRequest((request) => request.method() === "PUT");
    await press(page, "Change");
    expect((await sent).headers()).toMatchObject({ "if-none-match": "*" });
    await page.getByText("The settings are changed.").waitFor();
    expect(await site.api("GET", "/v1/config")).toMatchObject({
      cooldownSeconds: 45,
      strictAffinity: true,
      maxBlocksPerHost: null,
    });
    await press(page, "Close");
    await page.locator("main dd", { hasText: "45" }).first().waitFor();
    await site.api("PUT", "/v1/config", {}, ANY_VERSION);
    await page.close();
  });
});

describe("quotas", () => {
  it("are created, changed and deleted after the dry run has shown what follows", async () => {
    const page = await openAct("/console/settings", "Create a quota");
    await fieldOf(page, "Name").fill("blue");
    await showFirst(page);
    await dialogOn(page).locator("#field-addresses-error").waitFor();
    await fieldOf(page, "Tenant").fill("blue");
    await fieldOf(page, "Addresses").fill("20");
    await showFirst(page);
    await dialogOn(page).getByText("The same in a shell").click();
    const [plat = ""] = await dialogOn(page).locator(".shell-line code").allTextContents();
    expect(plat).toBe(`plat quota create blue --tenant blue --addresses 20 --endpoint ${site.url}`);
    await press(page, "Create");
    await page.getByText("The quota blue is created.").waitFor();
    await press(page, "Close");
    await page.getByRole("row", { name: "blue the tenant blue 20" }).waitFor();
    await page.getByRole("link", { name: "blue" }).click();
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await fieldOf(page, "Addresses").fill("30");
    await showFirst(page);
    await page.getByRole("row", { name: "addresses 20 30" }).waitFor();
    await press(page, "Change");
    await page.getByText("The quota blue is changed.").waitFor();
    await press(page, "Close");
    await page.getByText("0 of 30", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await fieldOf(page, "This cannot be undone").fill("blue");
    await press(page, "Delete the quota");
    await page.getByText("The quota blue is deleted.").waitFor();
    const { quotas } = await site.api("GET", "/v1/quotas");
    expect(quotas).toMatchObject([{ name: "red", addresses: 500 }]);
    await page.close();
  });
});

describe("addresses", () => {
  it("are assigned by keys alone, with an Idempotency-Key", async () => {
    const { page } = await site.open(`/console/addresses/${FREE}`);
    await page.getByRole("button", { name: "Assign" }).focus();
    await page.keyboard.press("Enter");
    await dialogOn(page).waitFor();
    await page.keyboard.type("printer-1");
    await page.keyboard.press("Tab");
    await page.keyboard.type("desk-4");
    await page.keyboard.press("Tab");
    await page.keyboard.type("floor=2");
    for (let i = 0; i < 2; i++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("the address from").waitFor();
    const sent = page.waitForRequest(
      (request) => request.method() === "POST" && !request.url().includes("dryRun"),
    );
    await page.keyboard.press("Enter");
    expect((await sent).headers()["idempotency-key"]).toMatch(/^[0-9a-f]{32}$/);
    await page.getByText("is assigned to").waitFor();
    await page.keyboard.press("Enter");
    await page.locator("main .state", { hasText: "assigned" }).waitFor();
    expect(await site.api("GET", `/v1/addresses/${FREE}`)).toMatchObject({
      handle: "printer-1",
      host: "desk-4",
      attributes: { floor: "2" },
    });
    await page.close();
  });

  it("that somebody else got meanwhile are not assigned, and the dry run says who has them", async () => {
    const page = await openAct("/console/addresses/10.50.0.98", "Assign");
    await site.api("POST", "/v1/assign", { host: "n", address: "10.50.0.98", handle: "faster" });
    await fieldOf(page, "Handle").fill("slower");
    await fieldOf(page, "Host").fill("node-1");
    await showFirst(page);
    await page.getByText("is assigned to handle faster. (already_assigned)").waitFor();
    await page.close();
  });

  it.each([
    ["released", "Release", "Release the address", "is released", "cooling"],
    ["hit", "Quarantine", "Quarantine the address", "is in quarantine until", "quarantined"],
  ] as const)(
    "of %s: %s frees this assignment, with the address typed",
    async (handle, button, verb, told, state) => {
      const address = HELD[handle];
      const page = await openAct(`/console/addresses/${address}`, button);
      await fieldOf(page, "This cannot be undone").fill(address);
      await press(page, verb);
      await page.getByText(told).waitFor();
      await press(page, "Close");
      await page.locator("main .state", { hasText: state }).waitFor();
      expect(await site.api("GET", `/v1/addresses/${address}`)).toMatchObject({ state });
      await page.close();
    },
  );

  it("of a pool are assigned from its page, and the lines for a shell do the same", async () => {
    const page = await openAct("/console/pools/shell", "Assign");
    await fieldOf(page, "Handle").fill("it's web");
    await fieldOf(page, "Host").fill("node-9");
    await fieldOf(page, "Attributes").fill("pod=web 0");
    await showFirst(page);
    await dialogOn(page).getByText("The same in a shell").click();
    const [plat = "", curl = ""] = await dialogOn(page)
      .locator(".shell-line code")
      .allTextContents();
    expect(plat).toBe(
      `plat assign --host node-9 --handle 'it'\\''s web' --ipv4 1 --pool shell --attribute 'pod=web 0' --endpoint ${site.url}`,
    );
    await promisify(execFile)("bash", ["-c", `${curl} --fail --silent`]);
    // The dialog sends the key that the line has, so both are one assign.
    await press(page, "Assign");
    await page.getByText("is assigned to it's web.").waitFor();
    const { addresses } = await site.api("GET", "/v1/addresses?host=node-9");
    expect(addresses).toMatchObject([
      { handle: "it's web", pool: "shell", attributes: { pod: "web 0" } },
    ]);
    await page.close();
  });

  it("of a virtual host are shown and released without those of the machine of its name", async () => {
    const twins = "/v1/spaces/twins";
    await site.api("PUT", `${twins}/pools/main`, { cidr: "10.60.0.0/24" });
    for (const [affinityType, ipv4] of [
      ["host", 1],
      ["virtual", 2],
    ])
      await site.api("POST", `${twins}/assign`, {
        host: "twin",
        affinityType,
        ipv4,
        handle: `of-${affinityType}`,
      });
    const { page } = await site.open("/console/spaces/twins/search?q=twin");
    await page.getByRole("link", { name: "twin" }).nth(1).waitFor();
    await page.goto(`${site.url}/console/spaces/twins/hosts`);
    const row = page.getByRole("row", { name: "twin virtual" });
    await row.getByText("2", { exact: true }).waitFor();
    await row.getByRole("link", { name: "twin" }).click();
    await page.getByRole("heading", { level: 1, name: "Virtual host twin" }).waitFor();
    await page.getByRole("button", { name: "Release all", exact: true }).click();
    await dialogOn(page).getByText("It releases 2 addresses").waitFor();
    await dialogOn(page).getByText("The same in a shell").click();
    expect(await dialogOn(page).locator(".shell-line code").first().textContent()).toContain(
      "plat release --host twin --affinity-type virtual",
    );
    await fieldOf(page, "This cannot be undone").fill("twin");
    await press(page, "Release them");
    await page.getByText("2 addresses are released.").waitFor();
    expect(await site.api("GET", `${twins}/addresses?host=twin&state=assigned`)).toMatchObject({
      addresses: [{ handle: "of-host" }],
    });
    await page.close();
  });

  it("are released several at once from a table, and those that are not are listed", async () => {
    let requests = 0;
    const { page } = await site.open("/console/search?q=host%3Dnode-5", {
      prepare: (prepared) =>
        prepared.route("**/v1/release", async (route) => {
          if (requests++ > 0) return route.continue();
          // The first request has no time for its last address.
          const { addresses } = route.request().postDataJSON();
          const last = addresses.at(-1);
          const postData = { addresses: addresses.slice(0, -1) };
          const body = await (await route.fetch({ postData })).json();
          const unfinished = { address: last.address, status: "unfinished" };
          return route.fulfill({ json: { ...body, results: [...body.results, unfinished] } });
        }),
    });
    await page.getByLabel("Choose all").check();
    await page.getByRole("button", { name: "Release 3 addresses" }).click();
    const [, taken] = SEVERAL;
    await site.api("POST", "/v1/release", { handle: taken });
    await fieldOf(page, "This cannot be undone").fill("3 addresses");
    await press(page, "Release 3 addresses");
    await page.getByText("2 addresses are released.").waitFor();
    const left = page.getByRole("list", { name: "Not released" }).getByRole("listitem");
    await expect.poll(() => left.count()).toBe(1);
    await press(page, "Close");
    await page.getByText("0 addresses meet all conditions.").waitFor();
    await page.close();
  });

  it("are read again after a release whose answer was lost", async () => {
    await site.api("POST", "/v1/assign", {
      host: "node-6",
      ipv4: 1,
      pools: ["main"],
      handle: "lost",
    });
    const { page } = await site.open("/console/search?q=host%3Dnode-6", {
      prepare: (prepared) =>
        prepared.route("**/v1/release", async (route) => {
          await route.fetch();
          return route.abort();
        }),
    });
    // So that the page does not follow changes by itself.
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByLabel("Choose all").check();
    await page.getByRole("button", { name: "Release 1 address" }).click();
    await fieldOf(page, "This cannot be undone").fill("1 address");
    await press(page, "Release 1 address");
    await dialogOn(page).getByRole("alert").waitFor();
    await press(page, "Cancel");
    await page.getByText("0 addresses meet all conditions.").waitFor();
    await page.close();
  });

  it("keep their handle when their owners change, and the line for a shell does the same", async () => {
    const page = await openAct(`/console/addresses/${OWNED}`, "Change owners");
    await showFirst(page);
    await dialogOn(page).getByText("You have changed nothing.").waitFor();
    await fieldOf(page, "Alternate owner").fill("db-1");
    await showFirst(page);
    await dialogOn(page).getByText("The attribute db-1 is not of the form name=value.").waitFor();
    await fieldOf(page, "Alternate owner").fill("pod=db-1\nzone=b");
    await showFirst(page);
    await page.getByRole("row", { name: "Alternate owner — pod=db-1, zone=b" }).waitFor();
    await dialogOn(page).getByText("The same in a shell").click();
    const line = await dialogOn(page).locator(".shell-line code").textContent();
    expect(line).toMatch(`curl -X PATCH ${site.url}/v1/addresses/${OWNED} `);
    await press(page, "Change");
    await page.getByText(`The owners of ${OWNED} are changed.`).waitFor();
    expect(await site.api("GET", `/v1/addresses/${OWNED}`)).toMatchObject({
      handle: "owned",
      owner: { active: { pod: "db-0" }, alternate: { pod: "db-1", zone: "b" } },
    });
    await press(page, "Close");
    await page.getByRole("heading", { name: "Alternate owner" }).waitFor();
    await page.getByRole("button", { name: "Change owners" }).click();
    await fieldOf(page, "Alternate owner").fill("");
    await showFirst(page);
    await press(page, "Change");
    await page.getByText("are changed").waitFor();
    const { owner } = await site.api("GET", `/v1/addresses/${OWNED}`);
    expect(owner).toEqual({ active: { pod: "db-0" } });
    await page.close();
  });

  it("with a lease get a longer one", async () => {
    const before = (await site.api("GET", `/v1/addresses/${OWNED}`)).expiresAt;
    const page = await openAct(`/console/addresses/${OWNED}`, "Renew the lease");
    await fieldOf(page, "Lease").fill("an hour");
    await showFirst(page);
    await dialogOn(page).locator("#field-leaseSeconds-error").waitFor();
    await fieldOf(page, "Lease").fill("86400");
    await showFirst(page);
    await page.getByText("The lease then ends 86400 s after you press Renew").waitFor();
    await press(page, "Renew");
    await page.getByText(`The lease of ${OWNED} ends at`).waitFor();
    const { expiresAt } = await site.api("GET", `/v1/addresses/${OWNED}`);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.parse(before));
    await page.close();
  });

  it("in quarantine leave it by an act", async () => {
    const page = await openAct(`/console/addresses/${HELD.reported}`, "End the quarantine");
    await press(page, "End the quarantine");
    await page.getByText("The quarantine has ended.").waitFor();
    const { state } = await site.api("GET", `/v1/addresses/${HELD.reported}`);
    expect(state).not.toBe("quarantined");
    await page.close();
  });

  it("of a handle are released together, with its name typed", async () => {
    const page = await openAct("/console/handles/shop/web-0", "Release all");
    await fieldOf(page, "This cannot be undone").fill("shop/web-0");
    await press(page, "Release them");
    await page.getByText("1 address is released.").waitFor();
    await press(page, "Close");
    await page.getByText("This handle has no addresses.").waitFor();
    await page.close();
  });

  it("say of an act that the caller may not do what Plat said", async () => {
    const page = await openAct(`/console/addresses/${HELD.other}`, "Release");
    await page.route("**/v1/release", (route) =>
      route.fulfill({
        status: 403,
        json: {
          type: "about:blank",
          title: "The caller lacks a role",
          status: 403,
          detail: "The role caller is required in the space default.",
          code: "forbidden",
          retryable: false,
          requestId: "request-1",
        },
      }),
    );
    await fieldOf(page, "This cannot be undone").fill(HELD.other);
    await press(page, "Release the address");
    await page.getByText("403 forbidden").waitFor();
    await page.getByText("The role caller is required in the space default.").waitFor();
    await page.close();
  });
});
