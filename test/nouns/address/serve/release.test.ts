import { describe, expect, it } from "vitest";
import { formatGeneration } from "../../../../src/kernel/values/generation.ts";
import { parseRelease } from "../../../../src/nouns/address/serve/release.ts";
import { eventOf } from "../../../api/event.ts";
import { rejectedFields } from "../../../api/problem-of.ts";

const read = (body: unknown, path = "/v1/release") => parseRelease(eventOf("POST", path, { body }));
const BLUE = "/v1/spaces/blue/release";
const DB = { kind: "StatefulSet", name: "db", uid: "a" };
const SHOP = { namespace: "shop", workload: DB };

const GENERATION = formatGeneration({
  token: "AaH9bgInfBgZ-A0",
  address: { family: 4, value: 0x0a000001n },
  blockSize: 26,
  handleHash: "0123456789abcdef",
  allocationId: "AaH9bgInfBgZ-A1",
  keyed: false,
  readsFirst: false,
  want: 1,
});

describe("a request to release", () => {
  it("names addresses, each with its handle or its generation", () => {
    const addresses = [
      { address: "10.0.0.1", generation: GENERATION },
      { address: "2001:db8::1", handle: "h" },
    ];
    expect(read({ addresses })).toMatchObject({
      space: "default",
      entries: [
        { address: { family: 4 }, generation: { blockSize: 26 } },
        { address: { family: 6 }, handle: "h" },
      ],
    });
  });

  it("names a handle, for all that it has", () => {
    expect(read({ handle: "h" }, BLUE)).toEqual({ space: "blue", handle: "h" });
  });

  it("names a host, or a virtual owner, for all that it has", () => {
    expect(read({ host: "n" })).toEqual({ space: "default", host: "host:n" });
    const body = { host: "lb", affinityType: "virtual" };
    expect(read(body, BLUE)).toEqual({ space: "blue", host: "virtual:lb" });
  });

  it("names an instance, to release or to keep it", () => {
    expect(read({ ...SHOP, keep: true }, BLUE)).toMatchObject({
      space: "blue",
      instance: {
        place: { space: "blue", keyed: true },
        workload: { ...DB, namespace: "shop", instance: "db" },
        keep: true,
      },
    });
  });

  it("has its own result for an entry that cannot be read", () => {
    const addresses = [
      { address: "10.0.0" },
      { address: "10.0.0.1", generation: "g0.x" },
      { address: "10.0.0.2", handle: "h" },
    ];
    expect(read({ addresses })).toMatchObject({
      entries: [
        { address: "10.0.0", status: "conflict", code: "invalid_request" },
        { address: "10.0.0.1", status: "conflict", code: "invalid_request" },
        { address: { family: 4 }, handle: "h" },
      ],
    });
  });

  it.each<[string, unknown, string]>([
    ["nothing to release", {}, "addresses: is required, or handle, host or workload in its place"],
    ["the handle of an instance", { handle: "workload/a/Pod/b/b" }, "handle: names an instance"],
    ["a workload without a namespace", { workload: DB }, "namespace: is required beside workload"],
    ["a namespace alone", { namespace: "shop", handle: "h" }, "namespace: needs a workload"],
    ["a keep of a handle", { handle: "h", keep: true }, "keep: needs addresses or a workload"],
    ["a workload and a host", { ...SHOP, host: "n" }, "host: excludes workload"],
    [
      "a workload whose handle no path can name",
      { ...SHOP, workload: { ...DB, name: "x".repeat(240) } },
      "workload: makes a handle of",
    ],
    [
      "a slash in a part",
      { ...SHOP, workload: { ...DB, name: "a/b" } },
      "workload.name: must be 1",
    ],
    ["no uid", { ...SHOP, workload: { ...DB, uid: "" } }, "workload.uid: must be 1"],
    ["both", { handle: "h", addresses: [{ address: "10.0.0.1" }] }, "handle: excludes addresses"],
    ["a handle and a host", { handle: "h", host: "n" }, "handle: excludes host"],
    ["a type without a host", { handle: "h", affinityType: "host" }, "affinityType: needs a host"],
    ["no entry", { addresses: [] }, "addresses: must have an entry"],
    [
      "too many entries",
      { addresses: Array.from({ length: 257 }, () => ({ address: "10.0.0.1" })) },
      "addresses: must have at most 256 entries",
    ],
    ["a text as entry", { addresses: ["10.0.0.1"] }, "addresses[0]: must be an object"],
    ["an unknown field in an entry", { addresses: [{ address: "::1", ip: 1 }] }, "addresses[0].ip"],
    [
      "a number as address",
      { addresses: [{ address: 1 }] },
      "addresses[0].address: must be a string",
    ],
    ["no address", { addresses: [{ handle: "h" }] }, "addresses[0].address: is required"],
    ["an unknown field", { handle: "h", force: true }, "force: is not a field here"],
  ])("is rejected with %s", (_, body, rejection) => {
    expect(rejectedFields(() => read(body))).toEqual([expect.stringContaining(rejection)]);
  });
});
