import { describe, expect, it } from "vitest";
import type { Family } from "../../../src/net/address.ts";
import { formatCidr } from "../../../src/net/cidr.ts";
import { decideClusterPool } from "../../../src/nouns/cilium/cluster-pool.ts";
import { network } from "../../builders.ts";

const X = "10.64.1.0/24";
const Y = "10.64.2.0/24";
const V6 = "fd00:64::/64";
const BOTH: readonly Family[] = [4, 6];

interface Node {
  readonly held?: readonly string[];
  readonly pending?: readonly string[];
  readonly stated?: readonly string[];
  readonly served?: readonly Family[];
  readonly families?: readonly Family[];
}

const decided = ({ held = [], pending = [], stated = [], served = BOTH, families }: Node) => {
  const { hold, choose, errors } = decideClusterPool({
    node: "node-1",
    stated: stated.map(network),
    held: [
      ...held.map((cidr) => ({ cidr: network(cidr), isConfirmed: true })),
      ...pending.map((cidr) => ({ cidr: network(cidr), isConfirmed: false })),
    ],
    served,
    ...(families && { families }),
  });
  return { hold: hold.map(formatCidr), choose, errors: errors.length };
};

describe("the rows of Cilium's operator, by what the node has and what its object shows", () => {
  it.each<[row: string, node: Node, hold: string[], choose: Family[], errors: number]>([
    ["none and none", {}, [], [4, 6], 0],
    ["none and none, with pools of one family", { served: [4] }, [], [4], 0],
    ["none and some", { stated: [X, V6] }, [X, V6], [], 0],
    ["none and one family", { stated: [X] }, [X], [6], 0],
    ["some and none", { held: [X, V6] }, [], [], 0],
    ["some and the same", { held: [X, V6], stated: [X, V6] }, [], [], 0],
    ["unconfirmed ones and the same", { pending: [X, V6], stated: [X, V6] }, [X, V6], [], 0],
    ["some and others", { held: [X], stated: [Y] }, [], [], 1],
    ["unconfirmed ones and others", { pending: [X], stated: [Y] }, [], [], 1],
    ["one family and the same, with pools of both", { held: [X], stated: [X] }, [], [6], 0],
    ["one family and the other", { held: [X], stated: [V6] }, [V6], [], 0],
    ["none and none, with no pool", { served: [] }, [], [], 1],
    ["both asked for, with pools of one", { served: [4], families: BOTH }, [], [], 1],
    ["one of both, with pools of one", { held: [X], served: [4], families: BOTH }, [], [], 1],
    ["one family asked for", { families: [6] }, [], [6], 0],
  ])("%s", (_row, node, hold, choose, errors) => {
    expect(decided(node)).toEqual({ hold, choose, errors });
  });
});
