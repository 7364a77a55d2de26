import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "./browser.ts";

const TOKEN = "0123456789abcdef";

describe("a server with a token", () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ token: TOKEN });
  });
  afterAll(() => site.close());

  it("serves the console to anybody, which then asks for the token and keeps it in memory only", async () => {
    const { page, errors } = await site.open("/console/jobs");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.getByLabel("Token").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The API does not accept these credentials.").waitFor();
    await page.getByLabel("Token").fill(TOKEN);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Jobs" }).waitFor();
    await page.getByText("No drain, delete, shrink or release").waitFor();
    expect(
      await page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]"),
    ).toEqual([0, 0, ""]);
    await page.reload();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe("a bad network is shown for what it is", () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site.close());

  const problem = {
    type: "about:blank",
    title: "The caller lacks a role",
    status: 403,
    detail: "The role reader is required in the space default.",
    code: "forbidden",
    retryable: false,
    requestId: "request-1",
  };
  const pools = { pools: [] };

  it("a rejection: its code, its sentence and the id of the request", async () => {
    const { page } = await site.open("/console/reservations", {
      prepare: (prepared) =>
        prepared.route("**/v1/reservations*", (route) =>
          route.fulfill({ status: 403, json: problem }),
        ),
    });
    const alert = page.getByRole("alert");
    await alert.waitFor();
    for (const text of ["403 forbidden", problem.title, problem.detail, problem.requestId])
      await alert.getByText(text).waitFor();
    await page.close();
  });

  it("an answer that is not of Plat: its status, and no guess", async () => {
    const { page } = await site.open("/console/reservations", {
      prepare: (prepared) =>
        prepared.route("**/v1/reservations*", (route) =>
          route.fulfill({ status: 502, body: "<html>Bad Gateway</html>" }),
        ),
    });
    await page.getByText("The answer has the status 502 and does not come from Plat.").waitFor();
    await page.close();
  });

  it("an API that has gone: what was read stays, with its time, and a retry reads again", async () => {
    let isGone = false;
    const { page } = await site.open("/console/reservations", {
      prepare: (prepared) =>
        prepared.route("**/v1/reservations*", (route) =>
          isGone
            ? route.abort("connectionrefused")
            : route.fulfill({ json: { reservations: [{ name: "routers", cidrs: ["10.0.0.1"] }] } }),
        ),
    });
    await page.getByText("routers").waitFor();
    isGone = true;
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByText("The API does not answer.").waitFor();
    await page.getByText(/The page shows the reservations as of/).waitFor();
    await page.getByText("routers").waitFor();
    isGone = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.close();
  });

  it("events of an API that has gone: those that came stay, and others follow when it is back", async () => {
    let isGone = false;
    const event = (id: string) => ({
      id,
      type: "PoolDeleted",
      at: "2026-11-24T00:00:00.000Z",
      sequence: id.padStart(40, "0"),
      space: "default",
      pool: `pool-${id}`,
    });
    let turn = 0;
    const { page } = await site.open("/console/events", {
      prepare: (prepared) =>
        prepared.route("**/v1/events*", (route) => {
          if (isGone) return route.abort("connectionrefused");
          turn += 1;
          return route.fulfill({ json: { events: [event("1"), event(`${turn}`)], next: "c" } });
        }),
    });
    await page.getByText("pool-1", { exact: true }).waitFor();
    isGone = true;
    await page.getByText("The API does not answer.").waitFor();
    expect(await page.getByText("pool-1", { exact: true }).count()).toBe(1);
    const next = turn + 1;
    isGone = false;
    await page.getByText(`pool-${next}`, { exact: true }).waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.close();
  });

  it("a server that publishes nothing has no history, and the page of the address says so", async () => {
    const detail = "Nothing is published here, so there is no history.";
    const { page } = await site.open("/console/addresses/10.0.0.1", {
      async prepare(prepared) {
        await prepared.route("**/v1/addresses/*", (route) =>
          route.fulfill({
            json: {
              address: "10.0.0.1",
              family: 4,
              block: "10.0.0.0/26",
              pool: "p",
              state: "free",
            },
          }),
        );
        await prepared.route("**/v1/addresses/*/history*", (route) =>
          route.fulfill({ status: 404, json: { ...problem, code: "not_published", detail } }),
        );
      },
    });
    await page.getByText(detail).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.close();
  });

  it("a slow API: the page says for what it waits", async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { page } = await site.open("/console/", {
      async prepare(prepared) {
        await prepared.route("**/v1/alarms", (route) => route.fulfill({ json: { alarms: [] } }));
        await prepared.route("**/v1/utilization", (route) => route.fulfill({ json: pools }));
        await prepared.route("**/v1/pools*", async (route) => {
          await answered;
          await route.fulfill({ json: pools });
        });
      },
    });
    await page.getByText("The API is slow: still waiting for the pools.").waitFor();
    answer();
    await page.getByText("has no pools").waitFor();
    await page.close();
  });
});
