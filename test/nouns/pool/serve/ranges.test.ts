import { describe, expect, it } from "vitest";
import { formatSet } from "../../../../src/net/address-set.ts";
import { type PoolPut, parsePoolPut } from "../../../../src/nouns/pool/serve/request.ts";
import { eventOf } from "../../../api/event.ts";
import { rejectedFields } from "../../../api/problem-of.ts";

const put = (body: unknown) => parsePoolPut(eventOf("PUT", "/v1/pools/blue", { body }));
const spec = (body: object) => (put({ cidr: "10.0.0.0/24", ...body }) as PoolPut).spec;

describe("a pool with ranges", () => {
  it("has its ranges and excludes merged and in order", () => {
    const { ranges = [], excludes = [] } = spec({
      ranges: ["10.0.0.20-10.0.0.29", "10.0.0.8/30", "10.0.0.12", "::ffff:10.0.0.30"],
      excludes: ["10.0.0.25", "10.0.0.24"],
    });
    expect(formatSet(ranges)).toEqual(["10.0.0.8-10.0.0.12", "10.0.0.20-10.0.0.30"]);
    expect(formatSet(excludes)).toEqual(["10.0.0.24-10.0.0.25"]);
  });

  it("is for workloads unless it says otherwise", () => {
    expect(spec({ ranges: [] }).allowedUses).toEqual(["Workload"]);
    expect(spec({ ranges: [], allowedUses: ["Tunnel"] }).allowedUses).toEqual(["Tunnel"]);
    expect(spec({}).allowedUses).toEqual(["Workload", "Tunnel"]);
  });

  it("has no range in reverse, in its ranges and in its excludes", () => {
    const reversed = ["10.0.0.9-10.0.0.1"];
    const body = { cidr: "10.0.0.0/24", ranges: reversed, excludes: reversed };
    expect(rejectedFields(() => put(body))).toEqual([
      expect.stringContaining("ranges[0]: is reversed"),
      expect.stringContaining("excludes[0]: is reversed"),
    ]);
  });

  it("can have no address yet", () => {
    expect(spec({ ranges: [] }).ranges).toEqual([]);
  });

  it("takes a gateway that it does not assign, and routes", () => {
    const { gateway, routes } = spec({
      ranges: ["10.0.0.0/24"],
      excludes: ["10.0.0.1"],
      gateway: "10.0.0.1",
      routes: [{ dst: "192.168.0.0/16", gw: "10.0.0.2" }],
    });
    expect(gateway).toEqual({ family: 4, value: 0x0a000001n });
    expect(routes).toHaveLength(1);
  });
});

describe("a pool is rejected by the name of its field when it has", () => {
  const ok = { cidr: "10.0.0.0/24", ranges: ["10.0.0.10-10.0.0.20"] };
  const route = { dst: "192.168.0.0/16", gw: "10.0.0.1" };

  it.each<[string, object, string]>([
    ["a reversed range", { ranges: ["10.0.0.9-10.0.0.1"] }, "ranges[0]: is reversed"],
    ["a text that is no range", { ranges: ["ten"] }, "ranges[0]: is not a CIDR, an address"],
    ["a range outside", { ranges: ["10.0.1.0"] }, "ranges[0]: is not inside of cidr 10.0.0.0/24"],
    ["a range that leaves it", { ranges: ["10.0.0.250-10.0.1.4"] }, "ranges[0]: is not inside of"],
    ["a range of another family", { ranges: ["2001:db8::1"] }, "ranges[0]: is not inside of"],
    ["excludes outside", { excludes: ["10.1.0.0"] }, "excludes[0]: is not inside of cidr"],
    ["too many ranges", { ranges: Array(257).fill("10.0.0.1") }, "ranges: must have at most 256"],
    ["excludes alone", { ranges: undefined, excludes: ["10.0.0.1"] }, "excludes: is only for a"],
    ["borrowing forbidden", { borrowing: "forbidden" }, "borrowing: must be allowed or absent"],
    ["a gateway in the set", { gateway: "10.0.0.10" }, "gateway: is an address that the pool"],
    ["a gateway outside", { gateway: "10.0.1.1" }, "gateway: is not inside of cidr 10.0.0.0/24"],
    ["a gateway without ranges", { ranges: undefined, gateway: "10.0.0.1" }, "send kind subnet"],
    ["a default route", { routes: [{ ...route, dst: "0.0.0.0/0" }] }, "routes[0].dst: must not be"],
    ["a repeated route", { routes: [route, route] }, "routes[1].dst: must be in one route only"],
    [
      "a route of IPv6",
      { routes: [{ ...route, dst: "2001:db8::/64" }] },
      "must be an IPv4 network",
    ],
    [
      "a next hop outside",
      { routes: [{ ...route, gw: "10.9.0.1" }] },
      "routes[0].gw: is not inside",
    ],
    ["too many routes", { routes: Array(65).fill(route) }, "routes: must have at most 64 entries"],
  ])("%s", (_, wrong, field) => {
    expect(rejectedFields(() => put({ ...ok, ...wrong }))).toEqual([
      expect.stringContaining(field),
    ]);
  });
});
