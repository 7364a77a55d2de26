import { type Address, parseAddress } from "../../net/address.ts";
import {
  type Cidr,
  contains,
  formatCidr,
  intervalOf,
  overlaps,
  parseCidr,
} from "../../net/cidr.ts";
import { PLAT_FIELDS } from "../resource/manifest-fields.ts";
import type { Current, Pool } from "./current.ts";
import type { Conflict, Desired, DesiredPool, PoolFields } from "./desired.ts";
import { isSame } from "./same.ts";
import type { Filling, PoolStep } from "./steps.ts";

/** An existing pool, or one that the import creates. */
export interface KnownPool {
  readonly name: string;
  readonly cidr: Cidr;
  readonly blockSize: number;
  /** The current pool; absent if the import creates it. */
  readonly current?: Pool;
  readonly isWanted: boolean;
}

/** Returns the pools after the desired ones exist. */
export function knownPools({ pools }: Desired, current: Current): readonly KnownPool[] {
  const byName = new Map(current.pools.map((pool) => [pool.name, pool]));
  const desired = pools.map(({ name, cidr, blockSize }): KnownPool => {
    const before = byName.get(name);
    return { name, cidr, blockSize, isWanted: true, ...(before && { current: before }) };
  });
  const names = new Set(pools.map(({ name }) => name));
  const others = current.pools
    .filter(({ name }) => !names.has(name))
    .map((pool) => ({
      name: pool.name,
      cidr: networkOf(pool),
      blockSize: pool.blockSize,
      current: pool,
      isWanted: false,
    }));
  return [...desired, ...others];
}

export const poolAround = (pools: readonly KnownPool[], address: Address): KnownPool | undefined =>
  pools.find(({ cidr }) => contains(cidr, address));

/** Plans the changes of the desired pools, and returns the conflicts. */
export function planPools(
  desired: Desired,
  current: Current,
  work: Filling,
): { readonly steps: readonly PoolStep[]; readonly conflicts: readonly Conflict[] } {
  const known = knownPools(desired, current);
  const filled = filledPools(known, work);
  return {
    steps: desired.pools.flatMap((pool) => stepOf(pool, current, filled.has(pool.name))),
    conflicts: [
      ...desired.pools.flatMap((pool) => changeConflicts(pool, current)),
      ...overlapConflicts(known),
      ...known.flatMap((pool) => closedConflicts(pool, filled.has(pool.name))),
    ],
  };
}

/** Returns the pools in which blocks are claimed or addresses assigned. */
function filledPools(
  known: readonly KnownPool[],
  { claims, assigns }: Filling,
): ReadonlySet<string> {
  const blocks = new Set([...claims.map(({ cidr }) => cidr), ...assigns.map(({ block }) => block)]);
  const names = new Set<string>();
  for (const block of blocks) {
    const base = parseAddress(block.slice(0, block.indexOf("/")));
    const pool = base.ok && poolAround(known, base.value);
    if (pool) names.add(pool.name);
  }
  return names;
}

/**
 * Plans one pool. A pool that receives addresses serves from the start, but only requests that name it. So no other
 * request takes an address that the import still needs. It gets its final fields at the end.
 */
function stepOf({ name, fields }: DesiredPool, { pools }: Current, filled: boolean): PoolStep[] {
  const before = pools.find((pool) => pool.name === name);
  const next = before ? { ...keptOf(before), ...fields } : fields;
  const opened: PoolFields = { ...next, disabled: false, assignmentMode: "Manual" };
  const opening = filled && (!before || before.disabled) && { opened };
  if (!before) return [{ name, verb: "create", fields: next, ...opening }];
  if (!isSame(normal(before), normal(next)))
    return [{ name, verb: "change", fields: next, ...opening }];
  return opening ? [{ name, fields: next, ...opening }] : [];
}

/** Returns the fields of a pool that a manifest cannot contain, so that they stay unchanged. */
const keptOf = (pool: Pool) =>
  Object.fromEntries(
    PLAT_FIELDS.filter((field) => pool[field] !== undefined).map((field) => [field, pool[field]]),
  );

const ROUTING_DEFAULT = {
  ipipMode: "Never",
  vxlanMode: "Never",
  natOutgoing: false,
  disableBGPExport: false,
};

const normal = ({
  cidr,
  blockSize,
  disabled,
  assignmentMode,
  allowedUses,
  nodeSelector,
  namespaceSelector,
  routing,
}: Pool | PoolFields) => ({
  cidr,
  blockSize,
  disabled,
  assignmentMode,
  allowedUses,
  nodeSelector,
  namespaceSelector,
  routing: { ...ROUTING_DEFAULT, ...routing },
});

function changeConflicts({ name, fields }: DesiredPool, { pools }: Current): readonly Conflict[] {
  const before = pools.find((pool) => pool.name === name);
  if (!before) return [];
  const conflict = (problem: string): Conflict[] => [{ kind: "pool", name, problem }];
  if (before.state !== undefined) return conflict(`stands in Plat and is ${before.state}`);
  if (before.cidr !== fields.cidr)
    return conflict(`is ${before.cidr} in Plat, not ${fields.cidr}; a pool keeps its range`);
  return before.blockSize === fields.blockSize
    ? []
    : conflict(
        `has blocks of /${before.blockSize} in Plat, not /${fields.blockSize}; a pool keeps its block size`,
      );
}

function overlapConflicts(known: readonly KnownPool[]): readonly Conflict[] {
  return known.flatMap((pool, i) =>
    known
      .slice(i + 1)
      .filter(({ cidr, isWanted }) => (pool.isWanted || isWanted) && overlapping(pool.cidr, cidr))
      .map(({ name, cidr, current, isWanted }): Conflict => {
        const where = current && !isWanted ? " of Plat" : "";
        return {
          kind: "pool",
          name: pool.name,
          problem: `(${formatCidr(pool.cidr)}) overlaps pool ${name} (${formatCidr(cidr)})${where}`,
        };
      }),
  );
}

/** Finds conflicts with pools that the dump does not contain, which stay unchanged. */
function closedConflicts(
  { name, current, isWanted }: KnownPool,
  filled: boolean,
): readonly Conflict[] {
  if (!filled || isWanted || !current) return [];
  const problem =
    current.state !== undefined ? `is ${current.state}` : current.disabled ? "is disabled" : "";
  return problem === ""
    ? []
    : [
        {
          kind: "pool",
          name,
          problem: `${problem} in Plat, and addresses are to be assigned in it`,
        },
      ];
}

const overlapping = (a: Cidr, b: Cidr) => overlaps(intervalOf(a), intervalOf(b));

/** Parses the range of a pool; the API always writes a valid one. */
function networkOf({ cidr }: Pool): Cidr {
  const read = parseCidr(cidr);
  if (read.ok) return read.value;
  throw new Error(`${cidr} ${read.problem}`);
}
