import { same } from "../../base/same.ts";
import { keepingUnsaid, PLAT_FIELDS } from "../../contract/manifest-fields.ts";
import { type Address, parseAddress } from "../../net/address.ts";
import { type AddressSet, includesAddress } from "../../net/address-set.ts";
import {
  type Cidr,
  contains,
  formatCidr,
  intervalOf,
  overlaps,
  parseCidr,
  sameCidr,
} from "../../net/cidr.ts";
import { POOL } from "../../nouns/pool/contract/request.ts";
import { excludesCaller } from "../../selection/selection.ts";
import { type PoolRead, rangedSetOf } from "../space/configuration.ts";
import type { CurrentState } from "./current.ts";
import type { Conflict, Desired, DesiredPool, PoolFields } from "./desired.ts";
import type { FillingSteps, PoolStep } from "./steps.ts";

/** An existing pool, or one that the import creates. */
export interface KnownPool {
  readonly name: string;
  readonly cidr: Cidr;
  readonly blockSize: number;
  /** The addresses of a pool with ranges. No host owns its blocks. */
  readonly ranges?: AddressSet;
  /** True for a pool that has what the other pools of its CIDR leave. */
  readonly isOuter: boolean;
  /** The current pool, also one whose creation was interrupted; absent if there is none. */
  readonly current?: PoolRead;
  readonly isWanted: boolean;
}

/** Returns the pools of addresses after the desired ones exist. No address of a pool of prefixes is assigned on its own. */
export function knownPools(
  { pools }: Pick<Desired, "pools">,
  current: Pick<CurrentState, "pools">,
): readonly KnownPool[] {
  const byName = new Map(current.pools.map((pool) => [pool.name, pool]));
  const desired = pools.map(({ name, cidr, blockSize, fields }): KnownPool => {
    const before = byName.get(name);
    return {
      name,
      cidr,
      blockSize,
      // An IPPool of Calico has no word for them.
      ...rangesOf(fields.ranges || !before ? fields : before),
      isOuter: isOuter(fields),
      isWanted: true,
      ...(before && { current: before }),
    };
  });
  const names = new Set(pools.map(({ name }) => name));
  const others = current.pools
    .filter(({ name, assign }) => assign === "addresses" && !names.has(name))
    .map((pool) => ({
      name: pool.name,
      cidr: networkOf(pool),
      blockSize: pool.blockSize,
      ...rangesOf(pool),
      isOuter: isOuter(pool),
      current: pool,
      isWanted: false,
    }));
  return [...desired, ...others];
}

/** Returns the pool of an address. Several pools with ranges can have one CIDR. */
export function poolAround(pools: readonly KnownPool[], address: Address): KnownPool | undefined {
  const around = pools.filter(({ cidr, ranges }) =>
    ranges ? includesAddress(ranges, address) : contains(cidr, address),
  );
  return around.find((pool) => !pool.isOuter) ?? around[0];
}

/** Returns the pool with ranges around a block; nothing if no host's block could be in one. */
export const rangedAround = (pools: readonly KnownPool[], block: Cidr): KnownPool | undefined =>
  pools.find(({ cidr, ranges }) => ranges && overlapping(cidr, block));

/** Returns the reason why nothing of the import can be at an address that is in no known pool. */
export function whyInNone(current: Pick<CurrentState, "pools">, address: Address): string {
  const around = current.pools.find(
    (pool) => pool.assign === "prefixes" && contains(networkOf(pool), address),
  );
  return around
    ? `is in pool ${around.name} of Plat, which assigns prefixes and no addresses`
    : "is in no pool, neither of Plat nor of the import";
}

const rangesOf = (fields: Pick<PoolFields, "ranges" | "excludes">) => {
  const ranges = rangedSetOf(fields);
  return ranges && { ranges };
};

/** Plans the changes of the desired pools, and returns the conflicts. */
export function planPools(
  desired: Desired,
  current: CurrentState,
  known: readonly KnownPool[],
  work: FillingSteps,
): { readonly steps: readonly PoolStep[]; readonly conflicts: readonly Conflict[] } {
  const filled = filledPools(known, work);
  const ofApplications = new Set(desired.applications?.flatMap(({ pools }) => pools));
  const isFilled = ({ name }: DesiredPool) => filled.has(name) || ofApplications.has(name);
  return {
    steps: desired.pools.flatMap((pool) => stepOf(pool, current, isFilled(pool))),
    conflicts: [
      ...desired.pools.flatMap((pool) => changeConflicts(pool, current)),
      ...desired.pools.filter(isFilled).flatMap((pool) => boundConflicts(pool, current)),
      ...overlapConflicts(known),
      ...known.flatMap((pool) => closedConflicts(pool, filled.has(pool.name))),
      ...known.flatMap((pool) => callerConflicts(pool, filled.has(pool.name), current)),
    ],
  };
}

/** Returns the pools in which blocks are claimed or addresses assigned. */
function filledPools(
  known: readonly KnownPool[],
  { claims, assigns }: FillingSteps,
): ReadonlySet<string> {
  const bases = claims.map(({ cidr }) => cidr.slice(0, cidr.indexOf("/")));
  const names = new Set<string>();
  for (const text of new Set([...bases, ...assigns.map(({ address }) => address)])) {
    const address = parseAddress(text);
    const pool = address.ok && poolAround(known, address.value);
    if (pool) names.add(pool.name);
  }
  return names;
}

/**
 * Plans one pool. A pool that receives addresses, or that an application names, serves from the start, but only requests that name it. So no other
 * request takes an address that the import still needs. It gets its final fields at the end.
 */
function stepOf(
  { name, fields, unsaid = PLAT_FIELDS }: DesiredPool,
  { pools }: CurrentState,
  filled: boolean,
): PoolStep[] {
  const before = pools.find((pool) => pool.name === name);
  const next = keepingUnsaid(unsaid, fields, before) as unknown as PoolFields;
  const isNew = !before || isHalfMade(before);
  const opened = filled && (isNew || !isOpen(before)) ? openedOf(next) : undefined;
  const step = {
    ...{ name, fields: next, ...(opened && { opened }) },
    // The plan knows those that it takes away while the pool is open.
    unsaid: unsaid.filter(
      (field) => !opened || Object.hasOwn(opened, field) === Object.hasOwn(next, field),
    ),
  };
  if (isNew) return [{ ...step, verb: "create" }];
  if (!same(normal(before), normal(next))) return [{ ...step, verb: "change" }];
  return opened ? [step] : [];
}

/** Returns true for a pool whose creation was interrupted. The import creates it again, which completes it. */
const isHalfMade = ({ state }: PoolRead): boolean => state === "pending";

/** The conditions on the workload. The import does not know the labels of its workloads, so an opened pool with ranges has none. */
const CONDITIONS = [
  "nodeSelector",
  "nodeNames",
  "namespaceSelector",
  "namespaceNames",
  "podSelector",
  "networks",
] as const satisfies readonly (keyof PoolRead)[];

/** Returns a pool as it is during the import. */
function openedOf(fields: PoolFields): PoolFields {
  if (!fields.ranges) return { ...fields, disabled: false, assignmentMode: "Manual" };
  const opened = {
    ...fields,
    disabled: false,
    ...(!isOuter(fields) && { assignmentMode: "Manual" }),
  };
  return Object.fromEntries(
    Object.entries(opened).filter(([field]) => !(CONDITIONS as readonly string[]).includes(field)),
  ) as unknown as PoolFields;
}

const isOpen = (pool: PoolRead): boolean =>
  !pool.disabled && !(pool.ranges && CONDITIONS.some((field) => pool[field] !== undefined));

/** Returns true for a pool that has what the other pools of its CIDR leave. */
const isOuter = ({ assignmentMode }: { readonly assignmentMode: unknown }): boolean =>
  assignmentMode === "Applications";

const ROUTING_DEFAULT = {
  ipipMode: "Never",
  vxlanMode: "Never",
  natOutgoing: false,
  disableBGPExport: false,
};

/** The selector of every node. */
const ALL = "all()";

const RANGED_DEFAULT: Readonly<Record<string, string>> = { assign: "addresses", nodeSelector: ALL };

function normal(pool: PoolRead | PoolFields) {
  const fields = pool as Readonly<Record<string, unknown>>;
  if (pool.ranges)
    return Object.keys(POOL).map((field) => fields[field] ?? RANGED_DEFAULT[field] ?? null);
  const { cidr, blockSize, disabled, assignmentMode, allowedUses, ...more } = pool;
  const { namespaceSelector, routing } = more;
  // A manifest of Calico says so of a pool without one.
  const nodeSelector = more.nodeSelector ?? ALL;
  return {
    ...{ cidr, blockSize, disabled, assignmentMode, allowedUses, nodeSelector, namespaceSelector },
    routing: { ...ROUTING_DEFAULT, ...routing },
  };
}

function changeConflicts(
  { name, fields }: DesiredPool,
  { pools }: CurrentState,
): readonly Conflict[] {
  const before = pools.find((pool) => pool.name === name);
  if (!before || isHalfMade(before)) return [];
  const conflict = (problem: string): Conflict[] => [{ kind: "pool", name, problem }];
  if (before.state !== undefined) return conflict(`exists in Plat and is ${before.state}`);
  if (before.assign === "prefixes")
    return conflict("assigns prefixes in Plat, and would have to assign addresses");
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
      .filter((other) => pool.isWanted || other.isWanted)
      .filter((other) => overlapping(pool.cidr, other.cidr) && !areBeside(pool, other))
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

/** Finds a pool whose conditions the import could not restore if it were interrupted, because its source does not say them. */
function boundConflicts(
  { name, unsaid = PLAT_FIELDS }: DesiredPool,
  { pools }: CurrentState,
): readonly Conflict[] {
  const before = pools.find((pool) => pool.name === name);
  const problem = before && whyBound(before, (field) => unsaid.includes(field));
  return problem === undefined ? [] : [{ kind: "pool", name, problem: `${problem} ${FILLED}` }];
}

const FILLED = "in Plat, but the import would assign addresses in it";

/** Finds conflicts with pools that the dump does not contain, which stay unchanged. */
function closedConflicts(
  { name, current, isWanted }: KnownPool,
  filled: boolean,
): readonly Conflict[] {
  if (!filled || isWanted || !current) return [];
  const problem = whyClosed(current);
  return problem === undefined ? [] : [{ kind: "pool", name, problem: `${problem} ${FILLED}` }];
}

/** Finds a pool that does not serve the caller. The import leaves its principals as they are. */
function callerConflicts(
  { name, current }: KnownPool,
  filled: boolean,
  { caller }: CurrentState,
): readonly Conflict[] {
  const unfit = filled && current && excludesCaller(current, { principal: caller });
  return unfit ? [{ kind: "pool", name, problem: `${unfit.reason} ${FILLED}` }] : [];
}

/** Returns the reason why a pool rejects a request that names an address of it. */
function whyClosed(pool: PoolRead): string | undefined {
  if (pool.state !== undefined) return `is ${pool.state}`;
  return pool.disabled ? "is disabled" : whyBound(pool);
}

/** Returns the conditions of a pool with ranges as the reason, those of some fields. They bind a request that names an address too. */
function whyBound(pool: PoolRead, isMeant = (_: string) => true): string | undefined {
  const bound = CONDITIONS.filter(
    (field) => pool.ranges && (pool[field] ?? ALL) !== ALL && isMeant(field),
  );
  return bound.length > 0
    ? `has ranges and serves only whom ${bound.join(" and ")} names`
    : undefined;
}

/** Pools with ranges can have one CIDR. The API checks their ranges. */
const areBeside = (a: KnownPool, b: KnownPool): boolean =>
  a.ranges !== undefined && b.ranges !== undefined && sameCidr(a.cidr, b.cidr);

const overlapping = (a: Cidr, b: Cidr) => overlaps(intervalOf(a), intervalOf(b));

/** Parses the range of a pool; the API always writes a valid one. */
function networkOf({ cidr }: PoolRead): Cidr {
  const read = parseCidr(cidr);
  if (read.ok) return read.value;
  throw new Error(`${cidr} ${read.problem}`);
}
