import { handleHash } from "../../src/base/hash.ts";
import type { Allocation } from "../../src/kernel/values/allocation.ts";
import type { Block } from "../../src/kernel/values/block.ts";
import { freshAllocationId, freshToken } from "../../src/kernel/values/fresh.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import type { Slot } from "../../src/kernel/values/slot.ts";
import type { Cidr } from "../../src/net/cidr.ts";
import type { Pool } from "../../src/nouns/pool/pool.ts";
import { drafted } from "./drafts.ts";
import { EARLIER_MS, sceneRandom, someId } from "./drawn.ts";
import type { LargeTable } from "./large-table.ts";
import { blockItem } from "./scene.ts";

/** An address, its owner and its place. */
export interface Held {
  readonly handle: string;
  readonly host: HostId;
  readonly cidr: Cidr;
  readonly ordinal: number;
  readonly changes?: Partial<Allocation>;
  readonly keyed?: boolean;
  readonly id?: string;
}

/** Returns the allocation of a request for one address, and its slot. */
export function requestFor(
  { space }: Pool,
  {
    handle,
    host,
    cidr,
    ordinal,
    changes = {},
    keyed = false,
    id = freshAllocationId(EARLIER_MS, sceneRandom()),
  }: Held,
): { readonly allocation: Allocation; readonly slot: Slot } {
  const hash = handleHash(handle);
  const place = { space, handleHash: hash, id, keyed };
  const token = freshToken(place, sceneRandom());
  const allocation: Allocation = {
    place,
    state: "live",
    handle,
    host,
    attributes: { pod: "web-0", namespace: "shop" },
    owners: new Map(),
    want: 1,
    missing: [],
    parts: [{ token, block: cidr, count: 1, ordinals: [ordinal] }],
    released: new Set(),
    conflicts: new Set(),
    charges: [],
    quotaSlots: [],
    reused: [],
    digest: "digest",
    revision: someId(),
    atMs: EARLIER_MS,
    ...changes,
  };
  return { allocation, slot: { kind: "taken", token, handleHash: hash } };
}

/**
 * Puts a block of a host whose first addresses are taken by these handles, with an allocation for
 * each.
 */
export function putHeld(
  items: LargeTable,
  pool: Pool,
  block: Pick<Block, "cidr"> & { readonly host: HostId },
  held: readonly Omit<Held, "cidr" | "host" | "ordinal">[],
): readonly Allocation[] {
  const slots = new Map<number, Slot>();
  const allocations = held.map((each, ordinal) => {
    const { allocation, slot } = requestFor(pool, { ...each, ...block, ordinal });
    slots.set(ordinal, slot);
    items.put(drafted((store) => store.createAllocation(allocation)));
    return allocation;
  });
  items.put(blockItem(pool, { ...block, slots }));
  return allocations;
}
