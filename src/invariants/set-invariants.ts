import { takenUnder } from "../kernel/values/block.ts";
import { type BlocksByName, nameOfBlock } from "../kernel/values/blocks-by-name.ts";
import { formatSet, includesAddress, sharedBy } from "../net/address-set.ts";
import { addressAt, formatCidr } from "../net/cidr.ts";
import { mayShare } from "../nouns/pool/address-plan.ts";
import { ownServedSetOf } from "../nouns/pool/application-pools.ts";
import { isRanged, type Pool, subnetIdOf } from "../nouns/pool/pool.ts";
import { servedSetOf } from "../nouns/pool/set.ts";
import type { Contents } from "./contents.ts";
import { type Violation, violation } from "./violation.ts";

/**
 * Finds what is wrong with the sets of ranged pools (I13): pools of a subnet that differ in their range or share an address, and
 * addresses that are taken outside of the pool that their allocation names. What was taken out of a pool is the pool's until a job
 * frees it. What a pool is about to add does not count: it may be another pool's until the others were read.
 */
export const setViolations = (contents: Contents, blocks: BlocksByName): Violation[] => [
  ...sharing(contents),
  ...astray(contents, blocks),
];

function sharing({ pools }: Contents): Violation[] {
  const ranged = pools.filter((pool) => isRanged(pool) && pool.state !== "pending");
  return ranged.flatMap((pool, i) =>
    ranged
      .slice(i + 1)
      .filter(({ space, subnetId }) => space === pool.space && subnetId === pool.subnetId)
      .flatMap((other) => {
        const both = `pools ${pool.name} and ${other.name} of ${pool.space}`;
        if (!mayShare(pool, other)) return [violation("I13", `${both} differ in their subnet`)];
        const [first] = formatSet(
          sharedBy(ownServedSetOf(pool, pools), ownServedSetOf(other, pools)),
        );
        return first === undefined ? [] : [violation("I13", `${both} share ${first}`)];
      }),
  );
}

function astray({ allocations, pools }: Contents, blocks: BlocksByName): Violation[] {
  const inSubnet = (space: string, subnetId: string): readonly Pool[] =>
    pools.filter((pool) => isRanged(pool) && pool.space === space && subnetIdOf(pool) === subnetId);
  return allocations.flatMap(({ place, parts }) =>
    parts.flatMap(({ block: cidr, token, pool: name }) => {
      const block = blocks.get(nameOfBlock(place.space, cidr));
      const current = block ? inSubnet(place.space, block.poolId) : [];
      if (current.length === 0 && name === undefined) return [];
      const pool = current.find((each) => each.name === name);
      const set = pool ? servedSetOf(pool) : [];
      return takenUnder(block, token)
        .filter((ordinal) => !includesAddress(set, addressAt(cidr, ordinal)))
        .map((ordinal) =>
          violation(
            "I13",
            `block ${place.space} ${formatCidr(cidr)} slot ${ordinal} is taken for pool ${name ?? "none"}, which does not have it`,
          ),
        );
    }),
  );
}
