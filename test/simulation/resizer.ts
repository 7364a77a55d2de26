import { Rejection } from "../../src/base/outcome.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import type { Written } from "../../src/kernel/core/written.ts";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import type { Address } from "../../src/net/address.ts";
import { type AddressSet, includesAddress, subtract, unionOf } from "../../src/net/address-set.ts";
import { intervalOf } from "../../src/net/cidr.ts";
import { listPools, putPool, readPool } from "../../src/nouns/pool/operations/administration.ts";
import { type Accepted, deletePool, drainPool } from "../../src/nouns/pool/operations/pool-jobs.ts";
import type { Pool, PoolSpec } from "../../src/nouns/pool/pool.ts";
import { addressSetOf, extentOf } from "../../src/nouns/pool/set.ts";
import { requestOf } from "./layers.ts";
import { chance, ifMatch, oneOf } from "./operators.ts";
import { type RangedPools, setFrom } from "./ranged-pools.ts";
import { SPACE } from "./requests.ts";
import type { Life } from "./run.ts";
import type { ServedSets } from "./served-sets.ts";

/** The ranged pools of a life, and their judge. */
export interface Subnet extends RangedPools {
  readonly judge: ServedSets;
}

type Answer = Promise<Written<Pool> | Accepted | Rejection>;

/**
 * Acts as an operator of ranged pools: widens and narrows them, moves addresses from one to another, disables and drains
 * them, and cuts them in and out.
 */
export async function resizer(context: Context, life: Life, subnet: Subnet): Promise<void> {
  for (let n = 0; n < 5; n++) {
    await context.sleep(30_000 * context.random.fraction());
    const act = oneOf(context, ACTS);
    await life.scheduler.trying(async () => {
      const answer = await act(context, subnet);
      const told = answer instanceof Rejection ? answer.code : "done";
      life.scheduler.count(`${act.name}: ${told}`);
      if (answer instanceof Rejection) life.scheduler.count(`answer: ${answer.code}`);
    });
  }
}

const ACTS = [widen, narrow, reshape, move, move, move, disable, cutIn, cutIn, cutOut, drain];

/** Adds a few addresses to a pool, which others may have. */
async function widen(context: Context, subnet: Subnet): Answer {
  const pool = await anyOf(context, subnet);
  if (pool instanceof Rejection) return pool;
  return change(
    context,
    subnet,
    pool,
    unionOf(addressSetOf(pool), someOf(context, subnet.addresses)),
  );
}

/** Takes a few addresses out of a pool. */
async function narrow(context: Context, subnet: Subnet): Answer {
  const pool = await anyOf(context, subnet);
  if (pool instanceof Rejection) return pool;
  return change(
    context,
    subnet,
    pool,
    subtract(addressSetOf(pool), ownSome(context, subnet, pool)),
  );
}

/** Does both in one change. */
async function reshape(context: Context, subnet: Subnet): Answer {
  const pool = await anyOf(context, subnet);
  if (pool instanceof Rejection) return pool;
  const left = subtract(addressSetOf(pool), ownSome(context, subnet, pool));
  return change(context, subnet, pool, unionOf(left, someOf(context, subnet.addresses)));
}

/** Moves addresses from one pool to another, as soon as a job has freed them. */
async function move(context: Context, subnet: Subnet): Answer {
  const from = await anyOf(context, subnet);
  if (from instanceof Rejection) return from;
  const some = ownSome(context, subnet, from);
  const left = await change(context, subnet, from, subtract(addressSetOf(from), some));
  if (left instanceof Rejection) return left;
  let answer: Awaited<Answer> = left;
  for (let tries = 0; tries < MOVE_TRIES_MAX; tries++) {
    await context.sleep(70_000 * context.random.fraction());
    if (chance(context, 0.6)) await runJobs(context);
    const to = await anyOf(context, subnet, from.name);
    if (to instanceof Rejection) return to;
    answer = await change(context, subnet, to, unionOf(addressSetOf(to), some));
    if (!(answer instanceof Rejection) || answer.code !== "pool_overlap") return answer;
  }
  return answer;
}

const MOVE_TRIES_MAX = 4;

/** Disables a pool, or enables it. */
async function disable(context: Context, subnet: Subnet): Answer {
  const pool = await anyOf(context, subnet);
  if (pool instanceof Rejection) return pool;
  return change(context, subnet, pool, addressSetOf(pool), { disabled: !pool.disabled });
}

/** Creates a pool beside the others, or where others are; at times with blocks of another size. */
async function cutIn(context: Context, { judge, ...subnet }: Subnet): Answer {
  const { items } = await listPools(requestOf(context), SPACE);
  const name =
    subnet.names.find((each) => !items.some((pool) => pool.name === each)) ??
    oneOf(context, subnet.names);
  const [model] = subnet.pools as [(typeof subnet.pools)[number]];
  const isOpen = (address: Address) =>
    !items.some((pool) => includesAddress(extentOf(pool), address));
  const open = subnet.addresses.filter(isOpen);
  const { name: _, ...spec } = subnet.pools.find((pool) => pool.name === name) ?? model;
  const next: PoolSpec = {
    ...spec,
    blockSize: chance(context, 0.05) ? spec.blockSize - 1 : spec.blockSize,
    ranges: someOf(context, open.length > 0 && chance(context, 0.8) ? open : subnet.addresses),
  };
  return judge.announcing(name, () => putPool(requestOf(context), SPACE, name, next, undefined));
}

/** Deletes a pool. */
async function cutOut(context: Context, subnet: Subnet): Answer {
  const pool = await anyOf(context, subnet);
  if (pool instanceof Rejection) return pool;
  return subnet.judge.announcing(pool.name, () =>
    deletePool(requestOf(context), SPACE, pool.name, mostly(context, pool)),
  );
}

async function drain(context: Context, subnet: Subnet): Answer {
  const pool = await anyOf(context, subnet);
  if (pool instanceof Rejection) return pool;
  return subnet.judge.announcing(pool.name, () =>
    drainPool(requestOf(context), SPACE, pool.name, mostly(context, pool)),
  );
}

/** Writes a pool with another set; at times as all of its CIDR with exceptions. */
async function change(
  context: Context,
  { judge }: Subnet,
  pool: Pool,
  set: AddressSet,
  changes: Partial<PoolSpec> = {},
): Promise<Written<Pool> | Rejection> {
  const { name, space, id, subnetId, adding, retiring, state, revision, excludes, ...spec } = pool;
  const whole = [intervalOf(pool.cidr)];
  const sets = chance(context, 0.2)
    ? { ranges: whole, excludes: subtract(whole, set) }
    : { ranges: set };
  const next = { ...spec, ...sets, ...changes };
  return judge.announcing(name, () =>
    putPool(requestOf(context), SPACE, name, next, mostly(context, pool)),
  );
}

/** Returns the revision that was read, more often than other operators do. */
const mostly = (context: Context, { revision }: Pool): string | undefined =>
  chance(context, 0.7) ? revision : ifMatch(context, revision);

/** Reads one of the ranged pools, other than the named one. */
async function anyOf(
  context: Context,
  { names }: Subnet,
  except?: string,
): Promise<Pool | Rejection> {
  const { items } = await listPools(requestOf(context), SPACE);
  const pools = items.filter(({ name }) => names.includes(name) && name !== except);
  const name = pools.length > 0 ? oneOf(context, pools).name : (names[0] as string);
  return readPool(requestOf(context), SPACE, name);
}

/** Draws one to three addresses in a row. */
function someOf({ random }: Context, addresses: readonly Address[]): AddressSet {
  const from = Math.floor(random.fraction() * addresses.length);
  return setFrom(addresses.slice(from, from + 1 + Math.floor(3 * random.fraction())));
}

/** Draws some addresses of a pool, as long as others are left. */
const ownSome = (context: Context, { addresses }: Subnet, pool: Pool): AddressSet =>
  someOf(
    context,
    addresses.filter((address) => includesAddress(addressSetOf(pool), address)).slice(1),
  );
