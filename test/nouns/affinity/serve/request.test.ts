import { describe, expect, it } from "vitest";
import {
  parseAffinityClaim,
  parseAffinityList,
  parseAffinityRelease,
} from "../../../../src/nouns/affinity/serve/request.ts";
import { eventOf } from "../../../api/event.ts";
import { rejectedFields } from "../../../api/problem-of.ts";

type Query = Record<string, string>;

const PATH = "/v1/nodes/node-1/affinities";
const BLUE = "/v1/spaces/blue/nodes/node-1/affinities";
const list = (query: Query = {}, path = PATH) => parseAffinityList(eventOf("GET", path, { query }));
const claim = (body: unknown, path = PATH) => parseAffinityClaim(eventOf("POST", path, { body }));
const release = (query: Query = {}) => parseAffinityRelease(eventOf("DELETE", PATH, { query }));

describe("a list of affinities", () => {
  it("is of a host, unless it says that its owner is virtual", () => {
    expect(list()).toMatchObject({ space: "default", host: "host:node-1", limit: 100 });
    expect(list({ affinityType: "virtual", limit: "7" }, BLUE)).toMatchObject({
      space: "blue",
      host: "virtual:node-1",
      limit: 7,
    });
  });

  it("is of whatever a host may be called, where it is encoded", () => {
    const path = `/v1/nodes/${encodeURIComponent("a&b:c")}/affinities`;
    expect(list({}, path)).toMatchObject({ host: "host:a&b:c" });
    expect(rejectedFields(() => list({}, "/v1/nodes/%20/affinities"))).toEqual([
      expect.stringContaining("node: must be 1 to 253 printable ASCII"),
    ]);
  });
});

describe("a claim", () => {
  it("is of a range, or of a block of each family in some pools or any", () => {
    expect(claim({ cidr: "10.0.0.0/24" })).toEqual({
      space: "default",
      host: "host:node-1",
      cidr: { family: 4, base: 0x0a000000n, prefix: 24 },
    });
    expect(claim({ families: [6, 4], pools: ["a"], affinityType: "virtual" }, BLUE)).toEqual({
      space: "blue",
      host: "virtual:node-1",
      families: [6, 4],
      pools: ["a"],
    });
  });

  it.each<[unknown, string]>([
    [{}, "cidr: is required, or families in its place"],
    [{ cidr: "10.0.0.0/24", families: [4] }, "cidr: excludes families"],
    [{ cidr: "10.0.0.0/24", pools: ["a"] }, "pools: needs families"],
    [{ cidr: "10.0.0.1/24" }, "cidr: has bits set below its prefix"],
    [{ families: [] }, "families: must name a family"],
    [{ families: [4, 4] }, "families: must name each family once"],
    [{ families: [5] }, "families[0]: must be 4 or 6"],
    [{ families: "4" }, "families: must be an array of 4 and 6"],
    [{ families: [4], host: "node-2" }, "host: is not a field here"],
    [{ families: [4], affinityType: "node" }, 'affinityType: must be "host" or "virtual"'],
  ])("with %j is rejected by the name of the field", (body, rejection) => {
    expect(rejectedFields(() => claim(body))).toEqual([expect.stringContaining(rejection)]);
  });
});

describe("a release", () => {
  it("is of all blocks, or of one, whatever is in it unless it says otherwise", () => {
    expect(release()).toMatchObject({ host: "host:node-1", cidr: undefined, mustBeEmpty: false });
    expect(release({ cidr: "10.0.0.0/26", mustBeEmpty: "true" })).toMatchObject({
      cidr: { prefix: 26 },
      mustBeEmpty: true,
    });
  });

  it.each<[Query, string]>([
    [{ cidr: "10.0.0.0" }, "?cidr: is not a CIDR"],
    [{ mustBeEmpty: "yes" }, "?mustBeEmpty: must be true or false"],
    [{ cursor: "x" }, "?cursor: is not a cursor"],
  ])("with %j is rejected by the name of the parameter", (query, rejection) => {
    expect(rejectedFields(() => release(query))).toEqual([expect.stringContaining(rejection)]);
  });
});
