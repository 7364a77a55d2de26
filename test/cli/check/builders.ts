import type { Coverage, Inventory, SeenPod } from "../../../src/cli/check/inventory.ts";
import type { OwnedAddress } from "../../../src/cli/space/contents.ts";
import { NOW_MS } from "../../builders.ts";

/** Builders of values that need only the fields of the test. */

/** Makes an address of pod web-0 of namespace shop, which was assigned an hour ago on node-1. */
export const assignedWith = (changes: Partial<OwnedAddress> = {}): OwnedAddress => ({
  address: "10.0.0.1",
  generation: "g1",
  handle: "web-0",
  host: "node-1",
  affinityType: "host",
  pool: "main",
  block: "10.0.0.0/26",
  borrowed: false,
  assignedAtMs: NOW_MS - 3_600_000,
  owner: { active: { namespace: "shop", pod: "web-0", node: "node-1" } },
  together: false,
  limited: false,
  ...changes,
});

export const ALL: Coverage = { nodes: true, pods: true, namespaces: new Set() };
export const NOTHING: Coverage = { nodes: false, pods: false, namespaces: new Set() };

/** Makes a current inventory with full coverage: node-1, node-2, and these pods. */
export function inventoryWith(
  pods: Readonly<Record<string, Partial<SeenPod>>>,
  changes: Partial<Inventory> = {},
): Inventory {
  const seen = Object.entries(pods).map(([name, { addresses = [], ...pod }]): [string, SeenPod] => [
    name,
    {
      ...{ node: "node-1", addresses, finished: false, ...pod },
      interfaces: new Map([["eth0", addresses], ...(pod.interfaces ?? [])]),
    },
  ]);
  return {
    covers: ALL,
    takenAtMs: NOW_MS,
    nodes: new Set(["node-1", "node-2"]),
    nodeObjects: [],
    pods: new Map(seen.map(([name, pod]) => [name, [pod]])),
    inUse: new Map(
      seen
        .filter(([, { finished }]) => !finished)
        .flatMap(([name, { interfaces }]) =>
          [...interfaces.values()].flat().map((address) => [address, name]),
        ),
    ),
    ignored: 0,
    ...changes,
  };
}
