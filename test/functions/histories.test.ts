import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EVENTS_WITHHELD_MS } from "../../src/publish/read-events.ts";
import { netbox } from "./netbox.ts";
import {
  deploy,
  HISTORY_KEPT_MS,
  history,
  newSpace,
  spaceWithPool,
  startAnew,
  wired,
} from "./plat.ts";
import { published } from "./published.ts";

const START_MS = Date.parse("2026-11-24T00:00:00Z");
const later = (ms: number) => void vi.setSystemTime(Date.now() + ms);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Event {
  readonly type: string;
  readonly handle?: string;
}
const typesOf = (events: readonly Event[]) => events.map(({ type }) => type);

/** Returns a space with one address, which two handles had one after the other. */
async function withTwoOwners() {
  const plat = await spaceWithPool({ cidr: "10.0.0.0/32", blockSize: 32, cooldownSeconds: 0 });
  for (const handle of ["web/0", "web/1"]) {
    await plat.assign({ host: "n1", ipv4: 1, handle });
    later(10_000);
    await plat.release({ handle });
    later(10_000);
  }
  await published();
  return plat;
}

describe("the history of an address", () => {
  it("says who had it and when, the newest event first, and for how long it is kept", async () => {
    const plat = await withTwoOwners();
    const { status, body } = await plat.get("/v1/addresses/10.0.0.0/history");
    expect([status, body.address, body.keptDays]).toEqual([200, "10.0.0.0", 90]);
    expect(body.events.map(({ type, handle }: Event) => `${type} ${handle}`)).toEqual([
      "AddressReleased web/1",
      "AddressAssigned web/1",
      "AddressReleased web/0",
      "AddressAssigned web/0",
    ]);
    expect(body).not.toHaveProperty("next");
  });

  it("has a conflict beside the release", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/32", blockSize: 32 });
    const { body } = await plat.assign({ host: "n1", ipv4: 1, handle: "vm" });
    const [{ address, generation }] = body.addresses;
    later(10_000);
    await plat.call("POST", `/v1/addresses/${address}/conflict`, { body: { generation } });
    await published();
    const { events } = (await plat.get(`/v1/addresses/${address}/history`)).body;
    expect(typesOf(events)).toEqual(["AddressConflict", "AddressReleased", "AddressAssigned"]);
    expect(events[0]).toMatchObject({ handle: "vm", host: "n1" });
  });

  it("is empty for an address that nobody had, also outside of all pools", async () => {
    const plat = newSpace();
    const { status, body } = await plat.get("/v1/addresses/2001:db8::7/history");
    expect([status, body.events]).toEqual([200, []]);
  });

  it("has the events of the prefix in which the address lies", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/cut", { cidr: "10.64.0.0/22", assign: "prefixes" });
    const podCIDRs = ["10.64.1.0/24"];
    await plat.call("POST", "/v1/nodes/n7/pod-cidrs", { body: { uid: "a", podCIDRs } });
    await published();
    const { body } = await plat.get("/v1/addresses/10.64.1.9/history");
    expect(body).toMatchObject({ address: "10.64.1.9", prefix: "10.64.1.0/24" });
    expect(body.events).toMatchObject([{ type: "PrefixAssigned", address: "10.64.1.0/24" }]);
  });

  it("has the events of each prefix around it, also once pools are made of these", async () => {
    const plat = newSpace();
    const prefixes = (cidr: string, blockSize: number, more: object = {}) => ({
      ...{ cidr, assign: "prefixes", blockSize, ...more },
    });
    await plat.put("/v1/pools/region", prefixes("10.64.0.0/12", 16));
    const have = (cidr: string) =>
      plat.call("POST", "/v1/prefixes", { body: { handle: cidr, cidr } });
    await have("10.65.0.0/16");
    await plat.put("/v1/pools/cluster", prefixes("10.65.0.0/16", 24, { parent: "region" }));
    await have("10.65.1.0/24");
    await plat.put("/v1/pools/lan", { cidr: "10.65.1.0/24", parent: "cluster" });
    await published();
    const { body } = await plat.get("/v1/addresses/10.65.1.9/history");
    expect(body).toMatchObject({ address: "10.65.1.9", prefix: "10.65.1.0/24" });
    expect(body.events.map((event: { address: string }) => event.address)).toEqual([
      "10.65.1.0/24",
      "10.65.0.0/16",
    ]);
  });

  it("has a change of a prefix under the prefix, and a release tells what changed", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/cut", { cidr: "10.64.0.0/22", assign: "prefixes" });
    const cidr = "10.64.1.0/24";
    await plat.call("POST", "/v1/prefixes", { body: { handle: "team", cidr } });
    later(10_000);
    const query = { vrf: plat.space, prefix: cidr };
    const [{ id }] = (await netbox("GET", "ipam/prefixes/", { query })).body.results;
    const path = `ipam/prefixes/${id}/`;
    const changed = await netbox("PATCH", path, { body: { description: "rack 7" } });
    expect(changed.status).toBe(200);
    later(10_000);
    await plat.call("POST", "/v1/prefixes/release", { body: { handle: "team" } });
    await published();
    const { events } = (await plat.get("/v1/addresses/10.64.1.0/history")).body;
    expect(typesOf(events)).toEqual(["PrefixReleased", "AddressChanged", "PrefixAssigned"]);
    expect(events[1]).toMatchObject({ address: cidr });
    expect(events[0]).toMatchObject({ owner: { active: { description: "rack 7" } } });
  });

  it("ends with its time", async () => {
    const plat = await withTwoOwners();
    later(HISTORY_KEPT_MS);
    expect((await plat.get("/v1/addresses/10.0.0.0/history")).body.events).toEqual([]);
  });
});

describe("the history of a handle", () => {
  it("says which addresses it had, whatever slashes are in its name", async () => {
    const plat = await withTwoOwners();
    const { status, body } = await plat.get("/v1/history/handles/web/0");
    expect([status, body.handle, body.keptDays]).toEqual([200, "web/0", 90]);
    expect(typesOf(body.events)).toEqual(["AddressReleased", "AddressAssigned"]);
  });

  it("is another one than that of a handle whose name ends in /history", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "n1", ipv4: 1, handle: "web/history" });
    await published();
    expect((await plat.get("/v1/history/handles/web/history")).body.events).toHaveLength(1);
    expect((await plat.get("/v1/history/handles/web")).body.events).toEqual([]);
    expect((await plat.get("/v1/handles/web/history")).body.addresses).toHaveLength(1);
  });
});

describe("a poll for events", () => {
  it("gets what happens from then on, in the order of publication, and can always go on", async () => {
    const plat = await withTwoOwners();
    later(EVENTS_WITHHELD_MS + 1);
    const begun = (await plat.get("/v1/events")).body;
    expect(begun).toMatchObject({ events: [], keptDays: 90, next: expect.any(String) });
    await plat.assign({ host: "n1", ipv4: 1, handle: "new" });
    await published();
    const early = (await plat.get("/v1/events", { cursor: begun.next })).body;
    expect(early.events).toEqual([]);
    later(EVENTS_WITHHELD_MS + 1);
    const { events, next } = (await plat.get("/v1/events", { cursor: early.next })).body;
    expect(typesOf(events)).toEqual(["AddressAssigned"]);
    expect((await plat.get("/v1/events", { cursor: next })).body.events).toEqual([]);
  });

  it("can begin at a time within what is kept, and comes in pages of events", async () => {
    const plat = await withTwoOwners();
    later(EVENTS_WITHHELD_MS + 1);
    const seen: Event[] = [];
    let query: Record<string, string> = { since: "2026-11-24T00:00:00Z", limit: "2" };
    for (let page = 0; page < 4; page++) {
      const { body } = await plat.get("/v1/events", query);
      expect(body.events.length).toBeLessThanOrEqual(2);
      seen.push(...body.events);
      query = { cursor: body.next, limit: "2" };
    }
    expect(seen.filter(({ handle }) => handle === "web/1")).toHaveLength(2);
    expect(new Set(seen.map((event) => JSON.stringify(event))).size).toBe(seen.length);
  });

  it("sees the events of its space only", async () => {
    const plat = await withTwoOwners();
    const other = newSpace();
    later(EVENTS_WITHHELD_MS + 1);
    const query = { since: "2026-11-24T00:00:00Z" };
    expect((await other.get("/v1/events", query)).body.events).toEqual([]);
    expect((await plat.get("/v1/events", query)).body.events).not.toEqual([]);
  });

  it.each([
    ["before what is kept", "2026-08-01T00:00:00Z"],
    ["in the future", "2026-11-25T00:00:00Z"],
    ["not a time", "yesterday"],
  ])("is rejected if its time is %s", async (_, since) => {
    const { status, body } = await newSpace().get("/v1/events", { since });
    expect([status, body.fields[0].field]).toEqual([400, "?since"]);
  });

  it("is rejected if it has a time beside a cursor", async () => {
    const plat = newSpace();
    const { next } = (await plat.get("/v1/events")).body;
    const query = { cursor: next, since: "2026-11-24T00:00:00Z" };
    expect((await plat.get("/v1/events", query)).status).toBe(400);
  });

  it("says that events may be lost if its cursor is older than what is kept", async () => {
    const plat = newSpace();
    const { next } = (await plat.get("/v1/events")).body;
    later(HISTORY_KEPT_MS);
    const { status, body } = await plat.get("/v1/events", { cursor: next });
    expect([status, body.code]).toEqual([410, "cursor_expired"]);
  });
});

describe("where nothing is published", () => {
  afterEach(() => startAnew());

  it("each of these routes says so", async () => {
    deploy({ ...wired(), history: undefined });
    for (const path of ["/v1/addresses/10.0.0.0/history", "/v1/history/handles/a", "/v1/events"])
      expect((await newSpace().get(path)).body).toMatchObject({ code: "not_published" });
  });

  it("a further Region serves histories, and no polls", async () => {
    const readable = { table: history, keptMs: HISTORY_KEPT_MS, publishes: false };
    deploy({ ...wired(), history: () => readable });
    const plat = newSpace();
    expect((await plat.get("/v1/history/handles/a")).status).toBe(200);
    expect((await plat.get("/v1/events")).body).toMatchObject({ code: "not_published" });
  });
});
