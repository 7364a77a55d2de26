import { handleHash } from "../src/base/hash.ts";
import type { Allocation } from "../src/kernel/values/allocation.ts";
import type { AllocationPlace } from "../src/kernel/values/allocation-place.ts";
import { groupIndexOf, groupOf } from "../src/kernel/values/block-group.ts";
import { fresh, freshAllocationId, freshId, freshToken } from "../src/kernel/values/fresh.ts";
import type { HostId } from "../src/kernel/values/host.ts";
import type { Slot } from "../src/kernel/values/slot.ts";
import { addressAt, type Cidr, cidrOf, formatCidr, sizeOf } from "../src/net/cidr.ts";
import { poolNamed, SPACE, type World } from "./world.ts";

const HOST: HostId = "host:node-1";

/** The properties of an allocation of a crowd, besides its one address. */
export interface Member {
  readonly keyed?: boolean;
  /** True if it was made before tokens and ids located allocations. */
  readonly older?: boolean;
  /** True if it was released and its address is free again. Then it may have lost its parts. */
  readonly released?: "with parts" | "without parts";
}

/** An allocation of a crowd, and the one address that it has or had. */
export interface OccupiedQuotaSlot {
  readonly allocation: Allocation;
  readonly cidr: Cidr;
  readonly ordinal: number;
}

/**
 * Gives a handle this many allocations of one address each, in blocks of one host from the start of the pool on. It
 * writes them directly into the table. The items are those that as many assigns would leave, and releases if a member
 * is released.
 */
export async function crowd(
  world: World,
  handle: string,
  members: readonly Member[],
): Promise<readonly OccupiedQuotaSlot[]> {
  const { store, random } = world.calm;
  const pool = await poolNamed(world);
  const nowMs = world.clock.nowMs;
  const hash = handleHash(handle);
  const blockSize = Number(sizeOf({ ...pool.cidr, prefix: pool.blockSize }));
  const cidrAt = (n: number) =>
    cidrOf(
      { family: pool.cidr.family, value: pool.cidr.base + BigInt(n * blockSize) },
      pool.blockSize,
    );
  const occupied = members.map(
    ({ keyed = false, older = false, released }, n): OccupiedQuotaSlot => {
      const cidr = cidrAt(Math.floor(n / blockSize));
      const ordinal = n % blockSize;
      const id = older ? freshId(nowMs, random) : freshAllocationId(nowMs, random);
      const place: AllocationPlace = { space: SPACE, handleHash: hash, id, keyed };
      const part = {
        token: older ? freshId(nowMs, random) : freshToken(place, random),
        block: cidr,
        count: 1,
        ordinals: [ordinal],
      };
      const allocation: Allocation = {
        place,
        state: released ? "released" : "live",
        handle,
        host: HOST,
        attributes: {},
        owners: new Map(),
        want: 1,
        missing: [],
        parts: released === "without parts" ? [] : [part],
        released: new Set(),
        conflicts: new Set(),
        charges: [],
        quotaSlots: [],
        reused: [],
        digest: "digest",
        revision: fresh(world.calm),
        atMs: nowMs,
      };
      return { allocation, cidr, ordinal };
    },
  );
  const byBlock = new Map<string, OccupiedQuotaSlot[]>();
  for (const each of occupied)
    byBlock.set(formatCidr(each.cidr), [...(byBlock.get(formatCidr(each.cidr)) ?? []), each]);
  for (const [place, ofBlock] of [...byBlock.values()].entries()) {
    const { cidr } = ofBlock[0] as OccupiedQuotaSlot;
    const slots = ofBlock.flatMap(({ allocation, ordinal }): [number, Slot][] => {
      const token = allocation.parts[0]?.token;
      if (allocation.state === "released" || token === undefined) return [];
      return [[ordinal, { kind: "taken", token, handleHash: hash }]];
    });
    await store.addGroup(SPACE, pool.id, groupIndexOf(pool, groupOf(cidr)));
    await store.createAffinity({
      space: SPACE,
      host: HOST,
      family: cidr.family,
      place,
      block: cidr,
      pool: pool.name,
      state: "confirmed",
      revision: fresh(world.calm),
      atMs: nowMs,
    });
    await store.createBlock({
      space: SPACE,
      cidr,
      pool: pool.name,
      poolId: pool.id,
      host: HOST,
      claimedAtMs: nowMs,
      slots: new Map(slots),
      epoch: fresh(world.calm),
      revision: fresh(world.calm),
    });
  }
  for (const { allocation } of occupied) await store.createAllocation(allocation);
  return occupied;
}

export const addressOfQuotaSlot = ({ cidr, ordinal }: OccupiedQuotaSlot) =>
  addressAt(cidr, ordinal);
