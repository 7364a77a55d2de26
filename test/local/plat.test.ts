import { afterAll, beforeAll, expect, it } from "vitest";
import type { LocalPlat } from "../../src/local/plat.ts";
import { eventually } from "../eventually.ts";
import { call } from "./process.ts";
import { unhurriedPlat } from "./unhurried-plat.ts";

let first: LocalPlat;
let second: LocalPlat;

beforeAll(async () => {
  first = await unhurriedPlat();
  second = await unhurriedPlat();
  const pool = { cidr: "10.0.0.0/24", cooldownSeconds: 0 };
  for (const { url } of [first, second]) await call(url, "PUT", "/v1/pools/main", pool);
});

afterAll(() => Promise.all([first.stop(), second.stop()]));

/** Returns the address that a server assigns to a handle. */
async function assigned({ url }: LocalPlat, handle: string): Promise<string> {
  const request = { host: "n1", address: "10.0.0.7", handle };
  const { status, body } = await call(url, "POST", "/v1/assign", request);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.addresses[0].address;
}

it("two servers in one process share no addresses and no history", async () => {
  const address = await assigned(first, "web");
  expect(await assigned(second, "db")).toBe(address);
  for (const [{ url }, handle] of [
    [first, "web"],
    [second, "db"],
  ] as const) {
    expect((await call(url, "GET", `/v1/addresses/${address}`)).body.handle).toBe(handle);
    await eventually(async () => {
      const { events } = (await call(url, "GET", `/v1/addresses/${address}/history`)).body;
      expect(events).toMatchObject([{ type: "AddressAssigned", handle }]);
    });
  }
});

it("the scheduled runs of a server act on its own table", async () => {
  await second.scheduledRuns.repair();
  const keys = [first, second].map(({ context }) => context.store.readCursorKey());
  expect(await Promise.all(keys)).toEqual([undefined, expect.any(String)]);
});
