import { releaseHandle } from "../../../src/kernel/release/release-handle.ts";
import type { Allocation } from "../../../src/kernel/values/allocation.ts";
import { blocksOfGroup, groupAt } from "../../../src/kernel/values/block-group.ts";
import { formatAddress } from "../../../src/net/address.ts";
import { addressAt } from "../../../src/net/cidr.ts";
import { allocationKey } from "../../../src/table/key.ts";
import { putHeld, requestFor } from "../allocations.ts";
import { drafted } from "../drafts.ts";
import { EARLIER_MS } from "../drawn.ts";
import type { Fact, Form } from "../fact.ts";
import { LambdaFunction } from "../lambda.ts";
import type { LargeTable } from "../large-table.ts";
import { NO_ALLOCATION_ENDS, NO_ANSWERS } from "../sabotages.ts";
import { type NewCloud, poolOf, putSpace } from "../scene.ts";

const SPACE = "default";
const HANDLE = "large";
const ADDRESSES_PER_BLOCK = 64;
const REPEATS_MAX = 11;

/**
 * Returns the facts that a release ends all addresses of a handle, however many, within the time of
 * a request each.
 */
export function releasedFacts(form: Form): readonly Fact[] {
  const [live, kept] = form === "full" ? [10_000, 6_000] : [600, 600];
  const size = `a handle with ${live} allocations`;
  const beside = `a handle with one allocation, and ${kept} kept allocations of earlier ones`;
  return [
    {
      name: "A release by handle is repeated at most ten times until nothing is left",
      size,
      bound: 10,
      unit: "requests",
      broken: NO_ALLOCATION_ENDS,
      measure: async (newCloud) => (await released(live, 0, newCloud)).requests,
    },
    {
      name: "A release by handle is repeated at most ten times until nothing is left",
      size: beside,
      bound: 10,
      unit: "requests",
      broken: NO_ALLOCATION_ENDS,
      measure: async (newCloud) => (await released(1, kept, newCloud)).requests,
    },
    {
      name: "A release is answered, however much there is to release",
      size,
      bound: 0,
      unit: "requests without an answer",
      broken: NO_ANSWERS,
      measure: async (newCloud) => (await released(live, 0, newCloud)).unanswered,
    },
    {
      name: "A release is answered, however much there is to release",
      size: beside,
      bound: 0,
      unit: "requests without an answer",
      broken: NO_ANSWERS,
      measure: async (newCloud) => (await released(1, kept, newCloud)).unanswered,
    },
  ];
}

/** Releases the handle until none of its addresses is left. */
async function released(live: number, kept: number, newCloud: NewCloud) {
  const cloud = await newCloud();
  const allocations = putHandle(cloud.items, live, kept);
  const isHeld = ({ place }: Allocation) => cloud.items.get(allocationKey(place))?.state === "live";
  return cloud.clock.run(async () => {
    let unanswered = 0;
    for (let requests = 1; requests <= REPEATS_MAX; requests++) {
      const ended = await new LambdaFunction(cloud).request((context) =>
        releaseHandle(context, SPACE, HANDLE),
      );
      if (ended.ended !== "answered") unanswered++;
      const isComplete = ended.ended === "answered" && ended.value.complete;
      if (isComplete && !allocations.some(isHeld)) return { requests, unanswered };
    }
    return { requests: REPEATS_MAX + 1, unanswered };
  });
}

/**
 * Puts a handle with `live` allocations of one address each, and `kept` ones that were freed today
 * under their keys.
 */
function putHandle(items: LargeTable, live: number, kept: number): readonly Allocation[] {
  const pool = poolOf(SPACE, "main", "10.0.0.0/12");
  putSpace(items, SPACE, [pool]);
  const allocations: Allocation[] = [];
  // A walk in order would reach this one last, behind all kept ones.
  const one = kept > 0 && { keyed: true, id: "zzzzzzzzzzzzzzz" };
  for (let block = 0; block * ADDRESSES_PER_BLOCK < live; block++) {
    const [cidr] = blocksOfGroup(pool, groupAt(pool, BigInt(block % 256))).slice(block / 256);
    if (!cidr) throw new Error("the pool is too small");
    const count = Math.min(ADDRESSES_PER_BLOCK, live - block * ADDRESSES_PER_BLOCK);
    const held = Array.from({ length: count }, () => ({ handle: HANDLE, ...one }));
    allocations.push(...putHeld(items, pool, { cidr, host: `host:node-${block}` }, held));
  }
  const [cidr] = blocksOfGroup(pool, groupAt(pool, 255n)).slice(-1);
  if (!cidr) throw new Error("a pool without blocks");
  for (let i = 0; i < kept; i++) {
    const atMs = EARLIER_MS + 23 * 60 * 60 * 1_000;
    const address = addressAt(cidr, i % ADDRESSES_PER_BLOCK);
    const { allocation } = requestFor(pool, {
      handle: HANDLE,
      host: "host:node-0",
      cidr,
      ordinal: i % ADDRESSES_PER_BLOCK,
      keyed: true,
      changes: { state: "released", released: new Set([formatAddress(address)]), atMs },
    });
    items.put(drafted((store) => store.createAllocation(allocation)));
  }
  return allocations;
}
