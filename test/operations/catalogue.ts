import { copyOf, makeWorld, type World } from "../world.ts";
import { AFFINITIES } from "./affinities.ts";
import { APPLICATIONS } from "./applications.ts";
import { ASSIGNS } from "./assigns.ts";
import { BATCHES } from "./batches.ts";
import { CHILD_POOLS } from "./child-pools.ts";
import { CILIUM_NODES } from "./cilium-nodes.ts";
import { CONFLICTS } from "./conflicts.ts";
import { INDEXES } from "./indexes.ts";
import { INSTANCES } from "./instances.ts";
import { KEYED_ASSIGNS } from "./keyed-assigns.ts";
import { LIMITS_AND_LEASES } from "./limits-and-leases.ts";
import { NODE_EVENTS } from "./node-events.ts";
import { type Operation, type Told, withOld } from "./operation.ts";
import { POOLS } from "./pools.ts";
import { PREFIXES } from "./prefixes.ts";
import { QUOTAS } from "./quotas.ts";
import { RANGED_POOLS } from "./ranged-pools.ts";
import { RELEASES } from "./releases.ts";
import { WRITES_OF_OPERATORS } from "./resources.ts";
import { SCHEDULED_RUNS } from "./scheduled-runs.ts";
import { SPACES } from "./spaces.ts";

/** Every operation that writes, in each form that takes another way through the code. */
export const OPERATIONS: readonly Operation[] = [
  ...ASSIGNS,
  ...KEYED_ASSIGNS,
  ...LIMITS_AND_LEASES,
  ...INSTANCES,
  ...RELEASES,
  ...CONFLICTS,
  ...SCHEDULED_RUNS,
  ...WRITES_OF_OPERATORS,
  ...POOLS,
  ...RANGED_POOLS,
  ...CHILD_POOLS,
  ...SPACES,
  ...QUOTAS,
  ...INDEXES,
  ...BATCHES,
  ...AFFINITIES,
  ...PREFIXES,
  ...NODE_EVENTS,
  ...CILIUM_NODES,
  ...APPLICATIONS,
];

/** The operations with their names, for a suite with a test of each. */
export const NAMED = OPERATIONS.map((operation) => [operation.name, operation] as const);

/**
 * Returns a world in which the operation can begin.
 *
 * @param prepare prepares the world; by default as the operation says
 */
export async function prepared(operation: Operation, prepare = operation.prepare ?? withOld) {
  const once = PREPARED.get(prepare) ?? prepareOnce(prepare);
  PREPARED.set(prepare, once);
  const { world, told } = await once;
  return { world: copyOf(world), told };
}

/** Prepares a world as `prepared` does, anew, so that its function `calm` remembers what it did. It takes longer than a copy. */
export async function preparedAnew(operation: Operation, prepare = operation.prepare ?? withOld) {
  return prepareOnce(prepare);
}

type Prepare = NonNullable<Operation["prepare"]>;

/** The worlds, each prepared once: every test begins with a copy. */
const PREPARED = new Map<Prepare, ReturnType<typeof prepareOnce>>();

async function prepareOnce(
  prepare: Prepare,
): Promise<{ readonly world: World; readonly told: Told }> {
  const world = await makeWorld();
  return { world, told: await prepare(world) };
}

/** Returns the assignments that an operation must not touch. */
export const keptOf = ({ kept = ["old"], name }: Operation, told: Told) =>
  kept.map((each) => {
    const assignment = told[each];
    if (!assignment) throw new Error(`${name}: nothing is prepared as ${each}`);
    return assignment;
  });

/** Returns the repeat of an operation, or nothing if it has none. */
export function repeatOf({ again, walk }: Operation) {
  if (typeof again === "function") return again;
  return typeof again === "string" ? walk : undefined;
}
