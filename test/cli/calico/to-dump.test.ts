import { expect, it } from "vitest";
import type { IpamBlock } from "../../../src/cli/calico/ipam-block.ts";
import { calicoResources } from "../../../src/cli/calico/to-dump.ts";
import type { BlockRead } from "../../../src/cli/space/blocks.ts";
import type { Space } from "../../../src/cli/space/space.ts";

it("an export has as free what Plat keeps for an instance, or holds for an application", () => {
  const block = {
    ...{ cidr: "10.0.0.0/30", pool: "main", host: "n", claimedAt: "2026-03-01T09:00:00.000Z" },
    addresses: [
      { address: "10.0.0.0", state: "assigned", handle: "a" },
      { address: "10.0.0.1", state: "kept", handle: "workload/shop/StatefulSet/db/0" },
      { address: "10.0.0.2", state: "held" },
    ],
  } as BlockRead;
  const settings = { strictAffinity: false, autoAllocateBlocks: true } as Space["settings"];
  const space = { pools: [], settings, reservations: [], unreadable: 0 };
  const resources = calicoResources({ ...space, blocks: [block], owners: new Map() });
  const of = (wanted: string) => resources.filter(({ kind }) => kind === wanted);
  expect(of("IPAMHandle").map(({ metadata }) => metadata.name)).toEqual(["a"]);
  const [{ spec } = { spec: {} }] = of("IPAMBlock");
  expect((spec as IpamBlock["spec"]).unallocated).toEqual([1, 2, 3]);
});
