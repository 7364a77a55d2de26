import { expect, it } from "vitest";
import type { Contents } from "../../src/invariants/contents.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { Owners } from "./owners.ts";
import { SPACE } from "./requests.ts";
import { cidrOf } from "./scenario.ts";

const CIDR = "10.0.0.0/31";
const HOST: HostId = "host:node-1";

/**
 * Returns a judge that has seen a block with these hosts in turn: `null` is a block without a host,
 * and `undefined` is no block.
 */
function ownersAfter(...hosts: readonly (HostId | null | undefined)[]): Owners {
  const owners = new Owners();
  for (const host of hosts) {
    const block = { space: SPACE, cidr: cidrOf(CIDR), ...(host && { host }) };
    owners.step({ blocks: host === undefined ? [] : [block] } as unknown as Contents);
  }
  return owners;
}

it.each([
  ["what it was throughout", [HOST], 1, 0],
  ["what it was since the question", [HOST, null], 1, 0],
  ["what it was before the question only", [HOST, null, undefined], 2, 1],
  ["what it never was", ["host:node-2", null], 1, 1],
] as const)("a claim that is told %s", (_, hosts, since, violations) => {
  const owners = ownersAfter(...hosts);
  owners.hearClaimed(HOST, { cidr: CIDR, status: "claimed" }, since);
  expect(owners.violations).toHaveLength(violations);
});

it.each([
  ["deleted, and is", "deleted", [HOST, undefined], 0],
  ["deleted, and stands", "deleted", [HOST, null], 1],
  ["disowned, and is", "disowned", [HOST, null], 0],
  ["disowned, and was its host's throughout", "disowned", [HOST, HOST], 1],
  ["disowned, and is another's by now", "not_owned", [HOST, "host:node-2"], 0],
  ["somebody else's, and was its host's throughout", "not_owned", [HOST], 1],
  ["not empty", "not_empty", [HOST], 0],
] as const)("a release that is told the block is %s", (_, status, hosts, violations) => {
  const owners = ownersAfter(...hosts);
  owners.hearReleased(HOST, { cidr: CIDR, status }, 1);
  expect(owners.violations).toHaveLength(violations);
});
