import { EVERY_SHARD } from "../../../src/base/hash.ts";
import { CLOCK_SKEW_MS_MAX } from "../../../src/base/limits.ts";
import { releaseAddress } from "../../../src/kernel/release/release-address.ts";
import { blocksOfGroup, groupAt, groupCount } from "../../../src/kernel/values/block-group.ts";
import { formatAddress } from "../../../src/net/address.ts";
import { type Cidr, ordinalOf } from "../../../src/net/cidr.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import type { Item, Key } from "../../../src/table/item.ts";
import { allocationKey, blockKey } from "../../../src/table/key.ts";
import { putHeld } from "../allocations.ts";
import type { Fact, Form } from "../fact.ts";
import { type Cloud, LambdaFunction, type Sabotage } from "../lambda.ts";
import type { LargeTable } from "../large-table.ts";
import { MINUTE_MS } from "../model.ts";
import { addressIn, expectServed, requestOf } from "../requests.ts";
import { COLLECT, minutesUntil } from "../runs.ts";
import { NOTHING_DUE } from "../sabotages.ts";
import { type NewCloud, poolOf, putSpace } from "../scene.ts";

const SPACE = "default";
const ADDRESSES_PER_BLOCK = 64;

/** Returns the facts that due allocations are handled soon, however many others are due. */
export function dueFacts(form: Form): readonly Fact[] {
  const [perSecond, minutes] = form === "full" ? [1_000, 1] : [10, 1];
  const unreadable = form === "full" ? 200 : 20;
  return [
    leases({ perSecond, minutes, unreadable }),
    {
      name: "A release that was cut off after its mark gives its address back within three minutes",
      size: "one release, and no walk over the table comes by",
      bound: 3,
      unit: "minutes",
      broken: NOTHING_DUE,
      measure: cutOffRelease,
    },
  ];
}

/** Leases that end, at this many per second. Unreadable allocations were due before all of them. */
function leases({
  perSecond,
  minutes,
  unreadable,
}: {
  readonly perSecond: number;
  readonly minutes: number;
  readonly unreadable: number;
}): Fact {
  return {
    name: "What is due is looked at within two runs",
    size: `${perSecond} leases run out in a second, for ${minutes * 60} seconds, behind ${unreadable} unreadable allocations in each shard`,
    bound: 2,
    unit: "runs",
    broken: NOTHING_DUE,
    async measure(newCloud) {
      const cloud = await newCloud();
      const pool = poolOf(SPACE, "main", "10.0.0.0/12");
      putSpace(cloud.items, SPACE, [pool]);
      const due = putLeases(cloud, pool, perSecond, minutes);
      for (const shard of EVERY_SHARD)
        for (let i = 0; i < unreadable; i++) cloud.items.put(unreadableAt(shard, i));
      return cloud.clock.run(() => runsUntilGone(cloud, due));
    },
  };
}

interface Due {
  readonly key: Key;
  readonly dueAtMs: number;
}

/**
 * Puts allocations of one address each in blocks all over the pool. Their leases end one after the
 * other from now on.
 */
export function putLeases(
  { clock, items }: Cloud & { readonly items: LargeTable },
  pool: Pool,
  perSecond: number,
  minutes: number,
): readonly Due[] {
  const count = perSecond * 60 * minutes;
  const blocks = Math.ceil(count / ADDRESSES_PER_BLOCK);
  const groups = Number(groupCount(pool));
  const dueAtMsOf = (lease: number) => clock.nowMs + Math.floor((lease * 1_000) / perSecond);
  return Array.from({ length: blocks }, (_, block) => {
    const [cidr] = blocksOfGroup(pool, groupAt(pool, BigInt(block % groups))).slice(block / groups);
    if (!cidr) throw new Error("the pool is too small for so many leases");
    // Leases that end one after the other lie in different blocks.
    const leases = Array.from({ length: ADDRESSES_PER_BLOCK }, (_, i) => block + i * blocks);
    const held = leases.map((lease) => ({
      handle: `leased-${lease}`,
      changes: { expiresAtMs: dueAtMsOf(lease) - CLOCK_SKEW_MS_MAX },
    }));
    const allocations = putHeld(items, pool, { cidr, host: `host:node-${block % 500}` }, held);
    return allocations.map(({ place }, i) => ({
      key: allocationKey(place),
      dueAtMs: dueAtMsOf(leases[i] ?? 0),
    }));
  }).flat();
}

/** Returns an allocation of a later version that is due before everything else. */
const unreadableAt = (shard: number, i: number): Item => ({
  pk: `HANDLE#${SPACE}#${(i * EVERY_SHARD.length + shard).toString(16).padStart(16, "0")}`,
  sk: "ID#of-a-later-version",
  f: 99,
  dueShard: `DUE#${shard}`,
  dueAt: i,
});

/**
 * Returns the maximum number of runs that began after an allocation was due and before it was gone.
 */
async function runsUntilGone({ clock, table, ...cloud }: Cloud, due: readonly Due[]) {
  const startedAtMs = clock.nowMs;
  const lastMs = due.reduce((last, { dueAtMs }) => Math.max(last, dueAtMs), 0);
  const mostMinutes = Math.ceil((lastMs - startedAtMs) / MINUTE_MS) + 5;
  /** Returns the number of the first run that could see an allocation. */
  const firstRunOf = ({ dueAtMs }: Due) => Math.ceil((dueAtMs - startedAtMs) / MINUTE_MS);
  let left = due;
  let run = 0;
  let most = 0;
  await minutesUntil({ clock, table, ...cloud }, COLLECT, mostMinutes, () => {
    left = left.filter((allocation) => {
      if (table.items.get(allocation.key)) return true;
      most = Math.max(most, run - firstRunOf(allocation) + 1);
      return false;
    });
    run++;
    return left.length === 0;
  });
  return left.length === 0 ? most : Math.max(most, ...left.map((each) => run - firstRunOf(each)));
}

/**
 * Stops a release under a key between its mark and the write of the slot. From then on only
 * scheduled runs continue.
 */
async function cutOffRelease(newCloud: NewCloud): Promise<number> {
  const cloud = await newCloud();
  const pool = poolOf(SPACE, "main", "10.0.0.0/24");
  putSpace(cloud.items, SPACE, [pool]);
  return cloud.clock.run(async () => {
    const asked = requestOf(SPACE, "host:node-1", { keyId: "0123456789abcdef" });
    const { value } = await expectServed(new LambdaFunction(cloud), asked);
    const named = addressIn(value);
    const { address } = named;
    const cutOff: Sabotage = {
      called: "the release is stopped",
      table: (table) => ({
        ...table,
        write: (write) =>
          write.step === "free-slots" ? new Promise(() => {}) : table.write(write),
      }),
    };
    await new LambdaFunction({ ...cloud, sabotage: cutOff }).request((context) =>
      releaseAddress(context, SPACE, named),
    );
    const cidr: Cidr = { ...pool.cidr, prefix: 26 };
    const block = { ...cidr, base: address.value - (address.value % 64n) };
    const ordinal = ordinalOf(block, address);
    const isFree = () => {
      const slots = cloud.items.get(blockKey(SPACE, block))?.slots as
        | Readonly<Record<string, Uint8Array>>
        | undefined;
      return slots?.[String(ordinal)]?.[0] !== TAKEN;
    };
    if (isFree()) throw new Error(`${formatAddress(address)} was not assigned`);
    const { sabotage } = cloud;
    const unswept: Sabotage = {
      called: "no walk over the table comes by",
      table: (table) => ({
        ...(sabotage?.table?.(table) ?? table),
        scan: async () => ({ items: [] }),
      }),
    };
    return minutesUntil({ ...cloud, sabotage: unswept }, COLLECT, 10, isFree);
  });
}

/** The first byte of a taken slot. */
const TAKEN = 1;
