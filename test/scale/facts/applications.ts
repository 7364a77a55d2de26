import { namesOf } from "../../../bench/instances.ts";
import {
  APPLICATION_ADDRESSES_MAX,
  APPLICATION_ADDRESSES_PER_CHANGE,
  BLOCK_SIZES,
  PAGE_READS_AT_ONCE,
} from "../../../src/base/limits.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../../src/kernel/assign/assignment.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { releaseAddress } from "../../../src/kernel/release/release-address.ts";
import {
  blocksOfGroup,
  groupAt,
  groupCount,
  groupOf,
} from "../../../src/kernel/values/block-group.ts";
import type { Cidr } from "../../../src/net/cidr.ts";
import { deleteApplication } from "../../../src/nouns/application/operations/delete-application.ts";
import { putApplication } from "../../../src/nouns/application/operations/put-application.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import { applicationKey, blockPk } from "../../../src/table/key.ts";
import { type OfBlock, putHolding, specOf, WEB } from "../applications.ts";
import { putFullBlocks } from "../crowds.ts";
import type { Fact, Form } from "../fact.ts";
import { type Cloud, LambdaFunction, type Sabotage } from "../lambda.ts";
import { addressIn, callsOf, expectServed, requestOf } from "../requests.ts";
import { NOTHING_SETTLED, walking } from "../sabotages.ts";
import { type LargeCloud, type NewCloud, putSpace, rangedPoolOf } from "../scene.ts";
import { SPACE } from "./layout.ts";

/** The most addresses of an application, and the blocks that they lie in. */
interface Size {
  readonly size: string;
  readonly addresses: number;
  readonly cidr: string;
  /** The blocks of the application. */
  blocksIn(pool: Pool): readonly Cidr[];
  readonly perBlock: number;
}

/** Returns the facts that an application with the most addresses serves its instances, and changes, in bounded work. */
export const applicationFacts = (form: Form): readonly Fact[] => [
  ...sizesOf(form).flatMap((size) => [
    ...instanceFacts(size),
    ...searchFacts(size),
    ...changeFacts(size),
  ]),
  largeBlocksFact(form),
];

/** Returns the facts about the calls of an instance while its application has addresses for it. */
function instanceFacts(of: Size): readonly Fact[] {
  const measured = (
    operation: string,
    calls: number,
    count: (cloud: Cloud, warm: LambdaFunction) => Promise<number>,
  ): Fact => ({
    name: `${operation} needs at most ${calls} calls`,
    size: of.size,
    bound: calls,
    unit: "calls",
    broken: walkingBlocks(of),
    async measure(newCloud) {
      const { cloud } = await scene(newCloud, of);
      return cloud.clock.run(async () => {
        const warm = new LambdaFunction(cloud);
        await expectServed(warm, instanceOf(0));
        return count(cloud, warm);
      });
    },
  });
  const taken = async (lambda: LambdaFunction) => (await expectServed(lambda, instanceOf(1))).calls;
  return [
    measured(
      "An instance that takes an address of its application",
      9 + PAGE_READS_AT_ONCE,
      (cloud) => taken(new LambdaFunction(cloud)),
    ),
    ...(of.perBlock > 1
      ? [
          measured(
            "An instance that takes an address of its application, by a function that knows the block,",
            2,
            (_, warm) => taken(warm),
          ),
        ]
      : []),
    measured("An instance that frees an address to its application", 4, async (_, warm) => {
      const { value } = await expectServed(warm, instanceOf(1));
      return callsOf(warm, (context) => releaseAddress(context, SPACE, addressIn(value)));
    }),
  ];
}

/** Returns the facts about an application of which all addresses but one, or all, are in use. */
const searchFacts = (of: Size): readonly Fact[] =>
  [
    { free: 1, name: `The last free address of an application` },
    { free: 0, name: `A rejection because an application has no free address` },
  ].map(({ free, name }) => ({
    name: `${name} needs at most a call for each of its blocks, and ${TAKE_CALLS_MAX}`,
    size: of.size,
    bound: of.addresses / of.perBlock + TAKE_CALLS_MAX,
    unit: "calls",
    broken: walkingBlocks(of),
    async measure(newCloud) {
      const { cloud } = await scene(newCloud, of, free);
      return cloud.clock.run(async () => {
        const ended = await new LambdaFunction(cloud).request((context) =>
          assign(context, instanceOf(1)),
        );
        if (ended.ended !== "answered" || ended.value instanceof Rejection !== (free === 0))
          throw new Error(`an instance got the wrong answer: ${JSON.stringify(ended)}`);
        return ended.calls;
      });
    },
  }));

/** Returns the facts about changes by an operator. */
const changeFacts = (of: Size): readonly Fact[] => [
  {
    name: `An application loses all its addresses in one request for each ${APPLICATION_ADDRESSES_PER_CHANGE}, and one`,
    size: of.size,
    bound: CHANGES_MAX,
    unit: "requests",
    broken: NOTHING_SETTLED,
    measure: async (newCloud) =>
      requestsUntilDone((await scene(newCloud, of)).cloud, (context, revision) =>
        putApplication(context, SPACE, WEB, { ...specOf(0, ["main"]) }, revision),
      ),
  },
  {
    name: "An application is deleted in one request",
    size: of.size,
    bound: 1,
    unit: "requests",
    broken: NOTHING_SETTLED,
    measure: async (newCloud) => requestsUntilDone((await scene(newCloud, of)).cloud, deletion),
  },
];

/** Returns the fact that the work of each request on large blocks is done, although one request has no time for all of it. */
function largeBlocksFact(form: Form): Fact {
  const addresses = form === "full" ? APPLICATION_ADDRESSES_PER_CHANGE : 8;
  const blockSize = BLOCK_SIZES[4].min;
  const held = 2 ** (32 - blockSize);
  return {
    name: `An application is deleted in ${LARGE_BLOCK_REQUESTS_MAX} requests`,
    size: `an application with ${addresses} addresses, each in another full block of ${held}`,
    bound: LARGE_BLOCK_REQUESTS_MAX,
    unit: "requests",
    broken: NOTHING_SETTLED,
    async measure(newCloud) {
      const cloud = await newCloud();
      const pool = rangedPoolOf(SPACE, "main", "64.0.0.0/6", { blockSize });
      putSpace(cloud.items, SPACE, [pool]);
      const blocks = Array.from({ length: addresses / 8 }, (_, i) =>
        blocksOfGroup(pool, groupAt(pool, BigInt(i))).slice(0, 8),
      );
      putHolding(
        cloud.items,
        pool,
        blocks.flat().map((cidr) => ({ cidr, held: 1, others: held - 1 })),
      );
      return requestsUntilDone(cloud, deletion);
    },
  };
}

/** Returns how many requests it takes until an application lists nothing any more. */
async function requestsUntilDone(
  cloud: LargeCloud,
  act: (context: Context, precondition: { readonly match: "any" }) => Promise<unknown>,
): Promise<number> {
  const isDone = () => {
    const item = cloud.items.get(applicationKey(SPACE, WEB));
    return !item || (item.listed as readonly unknown[]).length === 0;
  };
  return cloud.clock.run(async () => {
    for (let requests = 1; requests <= CHANGES_MAX; requests++) {
      const ended = await new LambdaFunction(cloud).request((context) =>
        act(context, { match: "any" }),
      );
      if (ended.ended === "answered" && isDone()) return requests;
    }
    return CHANGES_MAX + 1;
  });
}

const deletion = (context: Context, precondition: { readonly match: "any" }) =>
  deleteApplication(context, SPACE, WEB, precondition);

const LARGE_BLOCK_REQUESTS_MAX = 4;
const CHANGES_MAX = APPLICATION_ADDRESSES_MAX / APPLICATION_ADDRESSES_PER_CHANGE + 1;
const TAKE_CALLS_MAX = 9;
const ADDRESSES_PER_BLOCK = 64;

const walkingBlocks = ({ cidr, blocksIn }: Size): Sabotage => {
  const [first] = blocksIn(rangedPoolOf(SPACE, "main", cidr));
  if (!first) throw new Error("an application without a block");
  return walking("a block group of the application", [blockPk(SPACE, groupOf(first))]);
};

function sizesOf(form: Form): readonly Size[] {
  const addresses = form === "full" ? APPLICATION_ADDRESSES_MAX : 64;
  const [cidr, groups] = form === "full" ? ["64.0.0.0/6", 16_384] : ["64.0.0.0/14", 64];
  return [
    {
      size: `an application with ${addresses} addresses, side by side`,
      addresses,
      cidr,
      perBlock: ADDRESSES_PER_BLOCK,
      blocksIn: (pool) =>
        blocksOfGroup(pool, groupAt(pool, 0n)).slice(0, addresses / ADDRESSES_PER_BLOCK),
    },
    {
      size: `an application with ${addresses} addresses, each in another of ${groups} block groups`,
      addresses,
      cidr,
      perBlock: 1,
      blocksIn: (pool) =>
        Array.from({ length: addresses }, (_, i) => BigInt((i * groups) / addresses)).flatMap(
          (index) => blocksOfGroup(pool, groupAt(pool, index)).slice(0, 1),
        ),
    },
  ];
}

/** Returns a request of an instance of the application for one address. */
const instanceOf = (n: number): AssignRequest => ({
  ...requestOf(SPACE, "host:mine"),
  ...namesOf({ ...WEB, instance: `web-${n}`, uid: `uid-${n}` }),
  namespace: WEB.namespace,
});

/** Puts an application with all its addresses, in a pool whose other addresses are taken. */
async function scene(
  newCloud: NewCloud,
  { cidr, perBlock, blocksIn }: Size,
  free = Number.POSITIVE_INFINITY,
): Promise<{ readonly cloud: LargeCloud; readonly pool: Pool }> {
  const cloud = await newCloud();
  const pool = rangedPoolOf(SPACE, "main", cidr);
  putSpace(cloud.items, SPACE, [pool]);
  putFullBlocks(cloud.items, pool, Number(groupCount(pool)));
  let left = free;
  const blocks = blocksIn(pool).map((cidr): OfBlock => {
    const held = Math.min(left, perBlock);
    left -= held;
    return { cidr, held, inUse: perBlock - held, others: ADDRESSES_PER_BLOCK - perBlock };
  });
  putHolding(cloud.items, pool, blocks);
  return { cloud, pool };
}
