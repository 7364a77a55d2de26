import { handleHash } from "../../../src/base/hash.ts";
import { CONFIRM_SECONDS_DEFAULT } from "../../../src/base/limits.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import {
  BLOCKS_PER_GROUP,
  blocksOfGroup,
  groupAt,
  groupCount,
} from "../../../src/kernel/values/block-group.ts";
import { prefixHandle } from "../../../src/kernel/values/handle.ts";
import { hostId } from "../../../src/kernel/values/host.ts";
import { addressAt, type Cidr } from "../../../src/net/cidr.ts";
import { readAddress } from "../../../src/nouns/address/operations/read-address.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import {
  ensurePrefixes,
  type PrefixesWanted,
} from "../../../src/nouns/prefix/operations/ensure-prefixes.ts";
import { releaseByHandle } from "../../../src/nouns/prefix/operations/release-by-handle.ts";
import { releasePrefixes } from "../../../src/nouns/prefix/operations/release-prefixes.ts";
import { blockPk } from "../../../src/table/key.ts";
import { type Pools, poolsRequested, tryPutCilium } from "../../cilium-requests.ts";
import { fullBlocks, groupCrowd } from "../crowds.ts";
import type { Fact, Form } from "../fact.ts";
import { type Cloud, LambdaFunction } from "../lambda.ts";
import { callsOf } from "../requests.ts";
import { ALL_LOOKS_FULL, walking } from "../sabotages.ts";
import { indexPages, type LargeCloud, poolOf, putSpace } from "../scene.ts";
import { SPACE } from "./layout.ts";

const NODE = "mine";
const UID = "8f3e";
const NETWORK = "vpc";
/** Of this many block groups, one is free and the others are full. */
const GROUPS_PER_FREE_ONE = 100;
const TRIES_MAX = 6;

/** An act of a node, and the most calls of a function that has just started. */
interface Act {
  readonly what: string;
  readonly calls: number;
  /** Carries out the acts before it, and returns this one. */
  prepare(cloud: Cloud): Promise<(context: Context) => Promise<unknown>>;
}

/** Returns the facts that a node gets and keeps its prefixes in pools with a million of them as in small ones. */
export const prefixFacts = (form: Form): readonly Fact[] => {
  const pools = poolsOf(form);
  const [pool] = pools;
  const count = groupCount(pool) * BigInt(BLOCKS_PER_GROUP);
  const size = `two pools of ${count} prefixes, of which 99 % are taken`;
  return [
    ...ACTS.map(
      ({ what, calls, prepare }): Fact => ({
        name: `${what} needs at most ${calls} calls`,
        size,
        bound: calls,
        unit: "calls",
        broken: walking("a block group of the pool", [blockPk(SPACE, groupAt(pool, 1n))]),
        async measure(newCloud) {
          const cloud = await newCloud();
          putPools(cloud, pools, (group) => group % GROUPS_PER_FREE_ONE === 0);
          return cloud.clock.run(async () => {
            const act = await prepare(cloud);
            return callsOf(new LambdaFunction(cloud), act);
          });
        },
      }),
    ),
    {
      name: "A node gets a prefix within one try while the index shows the group of a free one",
      size: `two pools of ${count} prefixes, of which one group of ${BLOCKS_PER_GROUP} is free`,
      bound: 1,
      unit: "tries",
      broken: ALL_LOOKS_FULL,
      async measure(newCloud) {
        const cloud = await newCloud();
        putPools(cloud, pools, (group) => group === 77);
        return cloud.clock.run(() => triesOf(cloud));
      },
    },
  ];
};

const ACTS: readonly Act[] = [
  {
    what: "A node's request for a prefix of each family",
    calls: 22,
    prepare: async () => ask(),
  },
  {
    what: "The same request again",
    calls: 7,
    async prepare(cloud) {
      await done(cloud, ask());
      return ask();
    },
  },
  {
    what: "A node's statement of its two prefixes",
    calls: 9,
    prepare: async (cloud) => ask({ podCidrs: await asked(cloud) }),
  },
  {
    what: "A release of the two prefixes of a node",
    calls: 7,
    async prepare(cloud) {
      await asked(cloud);
      return (context) => releasePrefixes(context, { space: SPACE, node: NODE, uid: UID });
    },
  },
  {
    what: "A handle's request for a prefix",
    calls: 16,
    prepare: async () => network(),
  },
  {
    what: "A release of the prefix of a handle",
    calls: 6,
    async prepare(cloud) {
      await done(cloud, network());
      return (context) => releaseByHandle(context, { space: SPACE, handle: NETWORK });
    },
  },
  {
    what: "A read of an address in a node's prefix",
    calls: 4,
    async prepare(cloud) {
      const [cidr] = await asked(cloud);
      return (context) => readAddress(context, SPACE, addressAt(cidr as Cidr, 5));
    },
  },
  {
    what: "A PUT of a CiliumNode that gets a prefix of two of Cilium's pools each",
    calls: 33,
    prepare: async () => applied(1, NEEDED),
  },
  {
    what: "A PUT of a CiliumNode of two pools with nothing new",
    calls: 12,
    async prepare(cloud) {
      await done(cloud, applied(1, NEEDED));
      return applied(1, NEEDED);
    },
  },
  {
    what: "A PUT of a CiliumNode that gives a prefix of two pools each back",
    calls: 21,
    async prepare(cloud) {
      const { ipam } = await done(cloud, applied(1, NEEDED));
      await done(cloud, applied(2, { allocated: ipam.pools?.allocated ?? [] }));
      return applied(3, { allocated: [] });
    },
  },
];

/** The needs of a CiliumNode: a prefix of each pool. */
const NEEDED: Pools = {
  requested: [
    { pool: "pods", needed: { "ipv4-addrs": 1 } },
    { pool: "pods6", needed: { "ipv6-addrs": 1 } },
  ],
};

const applied = (version: number, pools: Pools) => (context: Context) =>
  tryPutCilium(context, NODE, poolsRequested(version, pools));

const ask =
  (said: Partial<PrefixesWanted> = {}) =>
  (context: Context) =>
    ensurePrefixes(context, {
      space: SPACE,
      node: NODE,
      uid: UID,
      allocator: "RangeAllocator",
      podCidrs: [],
      aliases: [],
      pools: [],
      confirmSeconds: CONFIRM_SECONDS_DEFAULT,
      ...said,
    });

const network = () => (context: Context) =>
  assign(context, {
    space: SPACE,
    host: hostId("virtual", NETWORK),
    handle: prefixHandle(NETWORK),
    wanted: [{ family: 4, count: 1 }],
    prefixes: { stated: [] },
    pools: [],
    attributes: {},
    keyId: handleHash(NETWORK),
    digest: NETWORK,
  });

/** Returns the prefixes of the node after its first request. */
const asked = async (cloud: Cloud): Promise<readonly Cidr[]> =>
  (await done(cloud, ask())).prefixes.map(({ cidr }) => cidr);

/** Carries out an act by a function that has just started. @throws {Error} if it is rejected, or has no answer */
async function done<T>(
  cloud: Cloud,
  act: (context: Context) => Promise<T | Rejection>,
): Promise<T> {
  const ended = await new LambdaFunction(cloud).request(act);
  if (ended.ended !== "answered" || ended.value instanceof Rejection)
    throw new Error(`a request was not served: ${JSON.stringify(ended)}`);
  return ended.value;
}

/** Returns the number of tries until the node has its prefixes, each by another function. */
async function triesOf(cloud: Cloud): Promise<number> {
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const ended = await new LambdaFunction(cloud).request(ask());
    if (ended.ended === "answered" && !(ended.value instanceof Rejection)) return tries;
  }
  return TRIES_MAX + 1;
}

function poolsOf(form: Form): readonly [v4: Pool, v6: Pool] {
  const [v4, v6] = form === "full" ? ["10.0.0.0/8", "fd00::/44"] : ["10.0.0.0/12", "fd00::/48"];
  const spec = { assign: "prefixes", allowedUses: [] } as const;
  return [
    poolOf(SPACE, "pods", v4, { ...spec, blockSize: 28 }),
    poolOf(SPACE, "pods6", v6, { ...spec, blockSize: 64 }),
  ];
}

/** Puts pools of prefixes that are all taken, but for those of some block groups. The index calls the other groups full. */
function putPools(
  { items }: LargeCloud,
  pools: readonly Pool[],
  isFree: (group: number) => boolean,
): void {
  putSpace(items, SPACE, pools);
  for (const pool of pools) {
    const groups = Number(groupCount(pool));
    const full = fullBlocks(pool);
    items.addCrowd(
      groupCrowd(pool, groups, (group) =>
        isFree(group)
          ? []
          : blocksOfGroup(pool, groupAt(pool, BigInt(group))).map((cidr) => full(cidr)),
      ),
    );
    const all = Array.from({ length: groups }, (_, i) => BigInt(i));
    for (const page of indexPages(pool, all, (group) => !isFree(Number(group)))) items.put(page);
  }
}
