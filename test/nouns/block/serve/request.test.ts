import { describe, expect, it } from "vitest";
import { parseBlockList, parseBlockPath } from "../../../../src/nouns/block/serve/request.ts";
import { eventOf } from "../../../api/event.ts";
import { rejectedFields } from "../../../api/problem-of.ts";

const list = (query: Record<string, string> = {}, path = "/v1/blocks") =>
  parseBlockList(eventOf("GET", path, { query }));
const block = (path: string, query: Record<string, string> = {}) =>
  parseBlockPath(eventOf("GET", `/v1/blocks/${path}`, { query }));

describe("a list of blocks", () => {
  it("is of all of the space, unless it says of which pool or host", () => {
    expect(list()).toMatchObject({ space: "default", limit: 100 });
    expect(list()).toMatchObject({ pool: undefined, host: undefined });
    const query = { pool: "main", host: "node-1", limit: "7" };
    expect(list(query, "/v1/spaces/blue/blocks")).toMatchObject({
      space: "blue",
      pool: "main",
      host: "host:node-1",
      limit: 7,
    });
    expect(list({ host: "lb", affinityType: "virtual" })).toMatchObject({ host: "virtual:lb" });
  });

  it.each<[Record<string, string>, string]>([
    [{ pool: "Main" }, "?pool: must be a DNS name in lower case"],
    [{ host: "" }, "?host: must be 1 to 253 printable ASCII"],
    [{ host: "n", affinityType: "node" }, '?affinityType: must be "host" or "virtual"'],
    [{ affinityType: "virtual" }, "?affinityType: needs a host"],
    [{ limit: "0" }, "?limit: must be a whole number from 1 to 1000"],
    [{ limit: "1001" }, "?limit: must be a whole number from 1 to 1000"],
    [{ limit: "1.5" }, "?limit: must be a whole number from 1 to 1000"],
    [{ limit: "9".repeat(400) }, "?limit: must be a whole number from 1 to 1000"],
    [{ cursor: "x" }, "?cursor: is not a cursor"],
    [
      { Pool: "main" },
      "?Pool: is not a parameter here; known are pool, host, affinityType, limit, cursor",
    ],
  ])("with %j is rejected by the name of the parameter", (query, rejection) => {
    expect(rejectedFields(() => list(query))).toEqual([expect.stringContaining(rejection)]);
  });
});

describe("a block in a path", () => {
  it.each([
    ["10.0.0.0%2F26", 4, 26],
    ["10.0.0.0/26", 4, 26],
    ["2001:DB8::%2f122", 6, 122],
    ["2001:db8::/122", 6, 122],
    ["2001%3Adb8%3A%3A/122", 6, 122],
  ])("written %s is a block, its slash encoded or not", (path, family, prefix) => {
    expect(block(path)).toMatchObject({ cidr: { family, prefix } });
  });

  it.each([
    ["10.0.0.0", "cidr: is not a CIDR such as"],
    ["10.0.0.1/26", "cidr: has bits set below its prefix; the network is 10.0.0.0/26"],
    ["10.0.0.0/33", "cidr: has a prefix longer than the 32 bits of IPv4"],
    ["10.0.0.0/x", "cidr: is not a CIDR such as"],
  ])("written %s is rejected", (path, rejection) => {
    expect(rejectedFields(() => block(path))).toEqual([expect.stringContaining(rejection)]);
  });
});
