import { fnv1a64 } from "../../../src/base/hash.ts";
import { GROUPS_SEARCHED_MAX } from "../../../src/base/limits.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import { IN_USE_GROUPS_MAX } from "../../../src/kernel/blocks/look-at-set.ts";
import {
  BLOCKS_PER_GROUP,
  blocksOfGroup,
  groupAt,
} from "../../../src/kernel/values/block-group.ts";
import type { HostId } from "../../../src/kernel/values/host.ts";
import { networkAt, networksOfLength } from "../../../src/net/address-set.ts";
import { type Cidr, type Interval, parseCidr } from "../../../src/net/cidr.ts";
import { POOL_RANGES_MAX } from "../../../src/nouns/pool/limits.ts";
import { putPool } from "../../../src/nouns/pool/operations/administration.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import { addressSetOf } from "../../../src/nouns/pool/set.ts";
import type { Item } from "../../../src/table/item.ts";
import { blockKey, blockPk, poolKey } from "../../../src/table/key.ts";
import { putBlocks, putFullBlocks } from "../crowds.ts";
import type { Fact, Form } from "../fact.ts";
import { LambdaFunction } from "../lambda.ts";
import {
  assignCold,
  callsOf,
  expectServed,
  isFinal,
  requestOf,
  triesUntilServed,
} from "../requests.ts";
import { minutesUntil, WORK } from "../runs.ts";
import {
  NO_ANSWERS,
  NO_JOB_MARKED,
  NO_SHARED_BLOCKS,
  READ_BEFORE_WRITE,
  walking,
} from "../sabotages.ts";
import {
  blockItem,
  type LargeCloud,
  type NewCloud,
  putSpace,
  rangedPoolOf,
  takenSlots,
} from "../scene.ts";
import { SPACE } from "./layout.ts";

const HOST: HostId = "host:mine";
const ADDRESSES_PER_BLOCK = 64;
const GROUP_ADDRESSES = BigInt(BLOCKS_PER_GROUP * ADDRESSES_PER_BLOCK);

/** Returns the facts that a pool with a large set serves and changes as a small one does. */
export const rangedPoolFacts = (form: Form): readonly Fact[] => [
  ...assignFacts(form),
  ...fullSetFacts,
  ...changeFacts(form),
  cutFact(form),
];

/** Returns the facts about an assign from a set of as many ranges as a pool may have. */
function assignFacts(form: Form): readonly Fact[] {
  const [groups, cidr] = form === "full" ? [16_384, "64.0.0.0/6"] : [512, "64.0.0.0/11"];
  return [
    { by: "by a function that knows the block", calls: 2, warm: true },
    { by: "by a function that has just started, and makes the block", calls: 8, warm: false },
  ].map(({ by, calls, warm }) => ({
    name: `An assign from a ranged pool, ${by}, needs at most ${calls} calls`,
    size: `a set of ${POOL_RANGES_MAX} ranges in ${groups * BLOCKS_PER_GROUP} blocks`,
    bound: calls,
    unit: "calls",
    broken: walking("a block group of the pool", [
      blockPk(SPACE, groupAt(poolIn(cidr, groups), 0n)),
    ]),
    async measure(newCloud) {
      const cloud = await newCloud();
      const pool = putFullSet(cloud, cidr, groups);
      cloud.items.remove(blockKey(SPACE, homeIn(pool)));
      return cloud.clock.run(async () => {
        const lambda = new LambdaFunction(cloud);
        const first = await expectServed(lambda, requestOf(SPACE, HOST));
        return warm ? (await expectServed(lambda, requestOf(SPACE, HOST))).calls : first.calls;
      });
    },
  }));
}

/** The largest set of which a request reads every group. */
const fullSetFacts: readonly Fact[] = [
  {
    name: "A host is served within two tries while a pool that may serve it has a free address",
    size: `a full set of ${POOL_RANGES_MAX} ranges in ${GROUPS_SEARCHED_MAX} block groups, but for one address`,
    bound: 2,
    unit: "tries",
    broken: NO_SHARED_BLOCKS,
    async measure(newCloud) {
      const cloud = await newCloud();
      const pool = putFullSet(cloud, "64.0.0.0/15", GROUPS_SEARCHED_MAX);
      const [cidr] = blocksOfGroup(pool, groupAt(pool, BigInt(GROUPS_SEARCHED_MAX - 1))).slice(30);
      const slots = takenSlots(ADDRESSES_PER_BLOCK - 1);
      if (cidr) cloud.items.put(blockItem(pool, { cidr, slots }));
      return cloud.clock.run(() => triesUntilServed(cloud, requestOf(SPACE, HOST)));
    },
  },
  {
    name: `A rejection needs at most ${GROUPS_SEARCHED_MAX + 4} calls`,
    size: `a full set of ${POOL_RANGES_MAX} ranges in ${GROUPS_SEARCHED_MAX} block groups`,
    bound: GROUPS_SEARCHED_MAX + 4,
    unit: "calls",
    broken: walking("a block group of the pool", [
      blockPk(SPACE, groupAt(poolIn("64.0.0.0/15", GROUPS_SEARCHED_MAX), 0n)),
    ]),
    async measure(newCloud) {
      const cloud = await newCloud();
      putFullSet(cloud, "64.0.0.0/15", GROUPS_SEARCHED_MAX);
      return cloud.clock.run(async () => {
        const tried = await assignCold(cloud, requestOf(SPACE, HOST));
        if (!isFinal(tried)) throw new Error(`not rejected: ${JSON.stringify(tried)}`);
        return tried.calls;
      });
    },
  },
];

/** Returns the facts about a change of a large set by an operator. */
function changeFacts(form: Form): readonly Fact[] {
  const groups = form === "full" ? 1_563 : 140;
  const [cidr, minutes] = form === "full" ? ["10.0.0.0/8", 15] : ["10.0.0.0/12", 5];
  const size = `a set of ${groups * BLOCKS_PER_GROUP} blocks, which exist and are empty`;
  const narrowed = async (newCloud: NewCloud) => {
    const cloud = await newCloud();
    const pool = putEmptySet(cloud, cidr, groups);
    return { cloud, pool, keep: withoutAllBut(pool, 1) };
  };
  return [
    {
      name: `A pool loses addresses in at most ${IN_USE_GROUPS_MAX + CHANGE_CALLS_MAX} calls`,
      size,
      bound: IN_USE_GROUPS_MAX + CHANGE_CALLS_MAX,
      unit: "calls",
      broken: walking("a block group of the pool", [blockPk(SPACE, groupAt(poolIn(cidr, 1), 0n))]),
      async measure(newCloud) {
        const { cloud, pool, keep } = await narrowed(newCloud);
        return cloud.clock.run(() => changed(cloud, pool, keep));
      },
    },
    {
      name: `What a pool loses is free for other pools in ${minutes} minutes`,
      size,
      bound: minutes,
      unit: "minutes",
      broken: NO_JOB_MARKED,
      async measure(newCloud) {
        const { cloud, pool, keep } = await narrowed(newCloud);
        return cloud.clock.run(async () => {
          await changed(cloud, pool, keep);
          const isFree = () => cloud.items.get(poolKey(SPACE, pool.name))?.retiring === undefined;
          return minutesUntil(cloud, WORK, 60, isFree);
        });
      },
    },
    {
      name: `A pool gets addresses in at most ${CHANGE_CALLS_MAX} calls`,
      size,
      bound: CHANGE_CALLS_MAX,
      unit: "calls",
      broken: READ_BEFORE_WRITE,
      async measure(newCloud) {
        const cloud = await newCloud();
        const pool = putEmptySet(cloud, cidr, groups);
        const { first = pool.cidr.base, last = first } = pool.ranges?.at(-1) ?? {};
        const longer = { family: 4, first, last: last + GROUP_ADDRESSES } as const;
        const ranges = [...(pool.ranges ?? []).slice(0, -1), longer];
        return cloud.clock.run(() => changed(cloud, pool, ranges));
      },
    },
  ];
}

/** Returns the fact that a pool gets as many ranges as it may have out of a pool for applications, each in another block group. */
function cutFact(form: Form): Fact {
  const [groups, cidr] = form === "full" ? [16_384, "64.0.0.0/6"] : [256, "64.0.0.0/12"];
  const count = POOL_RANGES_MAX;
  return {
    name: `A pool with addresses in ${count} block groups is cut out of a pool for applications in one request`,
    size: `${groups * BLOCKS_PER_GROUP} blocks, and others use addresses in all of them`,
    bound: 1,
    unit: "requests",
    broken: NO_ANSWERS,
    async measure(newCloud) {
      const cloud = await newCloud();
      const all = rangedPoolOf(SPACE, "all", cidr, { assignmentMode: "Applications" });
      putSpace(cloud.items, SPACE, [all]);
      putFullBlocks(cloud.items, all, groups);
      const ranges = Array.from({ length: count }, (_, i): Interval => {
        const index = BigInt((i * groups) / count);
        const [block = all.cidr] = blocksOfGroup(all, groupAt(all, index)).slice(30);
        const slots = takenSlots(ADDRESSES_PER_BLOCK - 1);
        cloud.items.put(blockItem(all, { cidr: block, slots }));
        const last = block.base + BigInt(ADDRESSES_PER_BLOCK - 1);
        return { family: 4, first: last, last };
      });
      const { space, name, id, state, revision, subnetId, ...spec } = rangedPoolOf(
        SPACE,
        "team",
        cidr,
        { ranges },
      );
      return cloud.clock.run(async () => {
        const ended = await new LambdaFunction(cloud).request((context) =>
          putPool(context, space, name, spec, undefined),
        );
        return ended.ended === "answered" && !(ended.value instanceof Rejection) ? 1 : 2;
      });
    },
  };
}

const CHANGE_CALLS_MAX = 7;

/** Changes the set of a pool. Returns the number of calls. */
const changed = (
  cloud: LargeCloud,
  { space, name, id, state, revision, subnetId, ...spec }: Pool,
  ranges: readonly Interval[],
): Promise<number> =>
  callsOf(new LambdaFunction(cloud), (context) =>
    putPool(context, space, name, { ...spec, ranges }, { match: "any" }),
  );

/** Returns the first block groups of a set. */
const withoutAllBut = ({ cidr }: Pool, groups: number): readonly Interval[] => [
  { family: 4, first: cidr.base, last: cidr.base + BigInt(groups) * GROUP_ADDRESSES - 1n },
];

/** Returns a pool whose set has as many ranges as it may have, in the first block groups of its CIDR. */
function poolIn(cidr: string, groups: number): Pool {
  const parsed = parseCidr(cidr);
  if (!parsed.ok) throw new Error(parsed.problem);
  const size = (BigInt(groups) * GROUP_ADDRESSES) / BigInt(POOL_RANGES_MAX);
  const ranges = Array.from({ length: POOL_RANGES_MAX }, (_, i): Interval => {
    const first = parsed.value.base + BigInt(i) * size;
    // It begins and ends within a block.
    return { family: 4, first: first + 10n, last: first + size - 3n };
  });
  return rangedPoolOf(SPACE, "main", cidr, { ranges });
}

/** Puts a pool whose set is full. */
function putFullSet(cloud: LargeCloud, cidr: string, groups: number): Pool {
  const pool = poolIn(cidr, groups);
  putSpace(cloud.items, SPACE, [pool]);
  putFullBlocks(cloud.items, pool, groups);
  return pool;
}

/** Puts a pool whose blocks exist and are empty. */
function putEmptySet(cloud: LargeCloud, cidr: string, groups: number): Pool {
  const pool = poolIn(cidr, groups);
  putSpace(cloud.items, SPACE, [pool]);
  // The blocks are made once, because revisions are drawn, and two reads of a block must return the same.
  const made = new Map<bigint, Item>();
  putBlocks(cloud.items, pool, groups, (cidr) => {
    const item = made.get(cidr.base) ?? blockItem(pool, { cidr });
    made.set(cidr.base, item);
    return item;
  });
  return pool;
}

/** Returns the block in which a host begins. */
function homeIn(pool: Pool): Cidr {
  const blocks = networksOfLength(addressSetOf(pool), pool.blockSize);
  return networkAt(blocks, fnv1a64(HOST) % blocks.count);
}
