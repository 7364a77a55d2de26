import { blocksOfGroup, groupAt } from "../../../src/kernel/values/block-group.ts";
import type { HostId } from "../../../src/kernel/values/host.ts";
import { fullBlocks } from "../crowds.ts";
import type { Fact, Form } from "../fact.ts";
import type { Cloud, Sabotage } from "../lambda.ts";
import { assignCold, isServed, requestOf } from "../requests.ts";
import { minutesUntil, RECLAIM } from "../runs.ts";
import { ALL_LOOKS_FULL, READ_BEFORE_WRITE } from "../sabotages.ts";
import {
  blockItem,
  fullPoolItem,
  indexPages,
  type NewCloud,
  poolOf,
  putSpace,
  takenSlots,
} from "../scene.ts";
import { OTHER, SPACE } from "./layout.ts";

const HOSTS = 30;
const TRIES_MAX = 20;
/** The pause of a host before it tries again. */
const PAUSE_MS = 1_000;

/** A scene in which hosts without a block can only borrow, and only in one place of many. */
interface Lending {
  readonly size: string;
  /** The most calls of one try: as many as a claim at 99 % needs in one pool, and in a /8. */
  readonly calls: number;
  /** The minutes in which `reclaim` comes by once. */
  readonly minutes: number;
  set(newCloud: NewCloud): Promise<Cloud>;
}

/**
 * Returns the facts that a host is served beside addresses that it can only borrow: soon, and for as many calls as a claim. The
 * reclaimer has come by once.
 */
export const lendingFacts = (form: Form): readonly Fact[] =>
  scenes(form).flatMap(({ size, calls, minutes, set }) => {
    const measuring =
      (most: (measured: Measured) => number): Fact["measure"] =>
      async (newCloud) => {
        const cloud = await set(newCloud);
        return cloud.clock.run(async () => {
          await minutesUntil(cloud, RECLAIM, minutes, () => false);
          return most(await serveAll(cloud));
        });
      };
    const fact = (name: string, bound: number, unit: string, broken: Sabotage) => ({
      ...{ name, size, bound, unit, broken },
    });
    return [
      {
        ...fact(
          "A host that can only borrow is served within two tries",
          2,
          "tries",
          ALL_LOOKS_FULL,
        ),
        measure: measuring(({ tries }) => tries),
      },
      {
        ...fact(
          `A try of a host that can only borrow needs at most ${calls} calls`,
          calls,
          "calls",
          READ_BEFORE_WRITE,
        ),
        measure: measuring((measured) => measured.calls),
      },
    ];
  });

const scenes = (form: Form): readonly Lending[] => [
  oneGroupLends(16, 3),
  oneGroupLends(form === "full" ? 4_096 : 32, 1),
  onePoolLends(12),
  ...(form === "full" ? [700, 1_999] : [120]).map(onePoolLends),
];

interface Measured {
  readonly tries: number;
  readonly calls: number;
}

/** Serves each host, one after another, and returns the most tries of one host and the most calls of one try. */
async function serveAll(cloud: Cloud): Promise<Measured> {
  let most = { tries: 0, calls: 0 };
  for (let n = 0; n < HOSTS; n++) {
    const request = requestOf(SPACE, `host:late-${n}` satisfies HostId);
    for (let tries = 1; tries <= TRIES_MAX + 1; tries++) {
      const tried = await assignCold(cloud, request);
      most = { tries: Math.max(most.tries, tries), calls: Math.max(most.calls, tried.calls) };
      if (isServed(tried)) break;
      await cloud.clock.sleep(PAUSE_MS);
    }
  }
  return most;
}

/** Every block of a pool exists and is full, but for some blocks of one group that have one address taken each. */
const oneGroupLends = (groups: number, lending: number): Lending => ({
  size: `${groups} block groups that are called full, ${lending * 63} addresses to borrow in one of them`,
  calls: groups > 1_024 ? 11 : 9,
  minutes: groups > 1_024 ? 5 : 1,
  async set(newCloud) {
    const cloud = await newCloud();
    const pool = poolOf(SPACE, "main", `10.0.0.0/${20 - Math.log2(groups)}`);
    putSpace(cloud.items, SPACE, [pool]);
    const full = fullBlocks(pool);
    const indexes = Array.from({ length: groups }, (_, i) => BigInt(i));
    const open = BigInt(Math.floor(groups * 0.6));
    for (const index of indexes)
      for (const [i, cidr] of blocksOfGroup(pool, groupAt(pool, index)).entries())
        cloud.items.put(
          index === open && i < lending
            ? blockItem(pool, { cidr, host: OTHER, slots: takenSlots(1) })
            : full(cidr, OTHER),
        );
    for (const page of indexPages(pool, indexes, () => true)) cloud.items.put(page);
    return cloud;
  },
});

/** Pools of four blocks each, all claimed. All are full but one, whose blocks have one address taken each. */
const onePoolLends = (fullPools: number): Lending => ({
  size: `${fullPools} full pools beside one with 252 addresses to borrow`,
  calls: 11,
  minutes: fullPools > 1_024 ? 5 : 1,
  async set(newCloud) {
    const cloud = await newCloud();
    const pools = Array.from({ length: fullPools + 1 }, (_, i) =>
      poolOf(SPACE, `pool-${String(i).padStart(5, "0")}`, `10.${i >> 8}.${i & 255}.0/24`),
    );
    putSpace(cloud.items, SPACE, pools);
    const open = pools[Math.floor(fullPools * 0.6)];
    for (const pool of pools) {
      const full = fullBlocks(pool);
      for (const cidr of blocksOfGroup(pool, groupAt(pool, 0n)))
        cloud.items.put(
          pool === open
            ? blockItem(pool, { cidr, host: OTHER, slots: takenSlots(1) })
            : full(cidr, OTHER),
        );
      for (const page of indexPages(pool, [0n], () => true)) cloud.items.put(page);
      cloud.items.put(fullPoolItem(pool));
    }
    return cloud;
  },
});
