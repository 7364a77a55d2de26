import {
  APPLICATION_ADDRESSES_MAX,
  APPLICATION_ADDRESSES_PER_CHANGE,
  EFFECTIVE_MS_MAX,
} from "../../../base/limits.ts";
import { Rejection } from "../../../base/outcome.ts";
import { same } from "../../../base/same.ts";
import { answer, compareAndSwap, RETRY, type Step } from "../../../kernel/core/compare-and-swap.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { forgetApplication } from "../../../kernel/core/labels.ts";
import { knownOutcome, type Precondition, unchanged, unmet } from "../../../kernel/core/written.ts";
import { freeSurplus, leave, settle } from "../../../kernel/held/settle.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { includesAddress, NO_ADDRESSES } from "../../../net/address-set.ts";
import { type Resolved, targetsOf } from "../../../selection/application-targets.ts";
import { applicationSetOf } from "../../pool/application-pools.ts";
import { noneUnread, type SpaceConfiguration } from "../../pool/configuration.ts";
import { narrows } from "../../pool/pool.ts";
import { addressSetOf } from "../../pool/set.ts";
import {
  type AddressesWanted,
  type Application,
  type ApplicationName,
  type ApplicationSpec,
  nameOfApplication,
  ordinalsOf,
  type Target,
  wantedEach,
} from "../application.ts";
import {
  countsOf,
  each,
  isComplete,
  joinedOrdinals,
  restated,
  type Unfinished,
} from "../changes.ts";
import { type ChosenAddress, chooseAddresses, listedSet } from "./choose-addresses.ts";
import { endLost } from "./end-lost.ts";
import { holdAddresses } from "./hold-addresses.ts";
import type { WrittenApplication } from "./written.ts";

/**
 * Creates an application, or changes one if the precondition holds, and holds the addresses that it wants: reads the space → learns
 * free addresses and their blocks → reads the space again → the item names them → the slots are held, under the epochs learned →
 * the item has them. What it has beyond its number leaves in the same writes. A crash in between leaves `named` and `leaving`
 * addresses, which the same request or the repair run settles.
 *
 * One request works on at most `APPLICATION_ADDRESSES_PER_CHANGE` addresses; the same request goes on.
 */
export async function putApplication(
  context: Context,
  space: string,
  of: ApplicationName,
  spec: ApplicationSpec,
  precondition: Precondition,
): Promise<WrittenApplication | Rejection> {
  const { store } = context;
  const name = nameOfApplication(of);
  return compareAndSwap<WrittenApplication | Rejection>(`the application ${name}`, async () => {
    const seen = await store.readApplication(space, of);
    const created: Application = { ...NOTHING, ...of, ...spec, space };
    // It is as the request wants it, whatever it lacks yet.
    const isSame = seen?.state === "active" && same({ ...seen, ...NOTHING }, created);
    const wanted = { act: "change", precondition, isSame } as const;
    const rejection = unmet({ kind: "application", name, revision: seen?.revision }, wanted);
    if (rejection) return answer(rejection);
    if (seen && !seen.addresses !== !spec.addresses) return answer(fixedAddresses(seen));
    // A request that was cut off, or another one, may have left addresses that it named.
    if (seen?.listed.some(({ state }) => state === "named")) {
      await settle(context, seen);
      return RETRY;
    }
    const planned = await plan(context, { ...(seen ?? created), ...spec, state: "active" });
    if (planned.kind !== "proceed") return planned;
    const { next, chosen, unfinished } = planned.next;
    if (seen && isComplete(seen) && same({ ...next, revision: seen.revision }, seen))
      return answer(unchanged(context, seen, seen.revision, EFFECTIVE_MS_MAX));
    const put = await knownOutcome(
      seen
        ? store.changeApplication("change-application", seen, next)
        : store.createApplication(next),
    );
    if (put.outcome === "lost") return RETRY;
    forgetApplication(context, space, of);
    const effectiveAtMs = context.now() + EFFECTIVE_MS_MAX;
    const blocks = await holdAddresses(context, next, chosen);
    const settled = (await settle(context, next, { known: blocks })) ?? next;
    const value = (await endLost(context, await withoutSurplus(context, settled))) ?? next;
    const result = { value, created: !seen, effectiveAtMs };
    return answer(unfinished && !isComplete(value) ? { ...result, unfinished } : result);
  });
}

/** Lets go what an instance gave back after its block was read, and before the item said that it is too much. */
async function withoutSurplus(context: Context, application: Application): Promise<Application> {
  const free = await freeSurplus(context, application, {
    countMax: APPLICATION_ADDRESSES_PER_CHANGE,
  });
  const left = free.length > 0 ? await leave(context, application, free) : undefined;
  return left?.application ?? application;
}

/** The fields of an application that no request says, before Plat gave it anything. */
const NOTHING = {
  state: "active",
  targets: [],
  listed: [],
  ordinals: [],
  revision: "",
} as const;

function fixedAddresses({ addresses }: Application): Rejection {
  const problem = addresses
    ? "cannot be dropped; delete the application"
    : "cannot be added; delete the application, and create it with them";
  return new Rejection("invalid_request", `addresses ${problem}.`, {
    fields: [{ field: "addresses", problem }],
  });
}

/** The first write of a change of an application, and the addresses that it then holds. */
interface Planned {
  readonly next: Application;
  readonly chosen: readonly ChosenAddress[];
  /** The reason why the application gets fewer than it wants; absent if it gets all. */
  readonly unfinished?: Unfinished;
}

/**
 * Learns what the application wants to list: free addresses for what it lacks, and the free ones among those that it has beyond its
 * number.
 *
 * @returns a retry if a pool lost one of the addresses meanwhile
 */
async function plan(context: Context, wanted: Application): Promise<Step<Rejection, Planned>> {
  const { store } = context;
  const ordinals = joinedOrdinals(wanted.ordinals, ordinalsOf(wanted));
  const revision = fresh(context);
  const { addresses } = wanted;
  if (!addresses)
    return { kind: "proceed", next: { next: { ...wanted, ordinals, revision }, chosen: [] } };
  const configuration = await store.readSpace(wanted.space);
  const resolved = await resolveTargets(context, configuration, wanted, addresses);
  if (resolved instanceof Rejection) return answer(resolved);
  const { targets } = resolved;
  const base = withoutLost({ ...wanted, ordinals, targets, revision }, configuration);
  const rejection = overLimit(base) ?? shutFor(base, resolved);
  if (rejection) return answer(rejection);
  const goes = await freeSurplus(context, base, {
    countMax: APPLICATION_ADDRESSES_PER_CHANGE,
  });
  // What it has too many of counts until it is gone, so the application may get what it lacks in later requests.
  const has = base.listed.length;
  const left = Math.min(
    APPLICATION_ADDRESSES_PER_CHANGE - goes.length,
    Math.max(0, APPLICATION_ADDRESSES_MAX - has),
  );
  const { chosen, unfinished } = await chooseMissing(context, configuration, base, left);
  // A pool that is cut out of an Applications pool writes its item before it fences. Its blocks were read before this (rule 2).
  if (chosen.length > 0 && !areOpen(chosen, await store.readSpace(wanted.space))) return RETRY;
  const leaving = restated(base, each(goes, "leaving"), revision);
  const named = chosen.map(({ block: _, ...listed }) => listed);
  const next = { ...leaving, listed: [...leaving.listed, ...named] };
  return { kind: "proceed", next: { next, chosen, ...(unfinished && { unfinished }) } };
}

/** Makes addresses leave that are of no pool of the application: it names the pool no longer, or the pool has lost them. */
function withoutLost(application: Application, { pools }: SpaceConfiguration): Application {
  const named = new Set(application.targets.flatMap(({ poolIds }) => poolIds));
  const sets = new Map(
    pools.filter(({ id }) => named.has(id)).map((pool) => [pool.id, addressSetOf(pool)]),
  );
  const gone = application.listed.filter(
    ({ poolId, address }) => !includesAddress(sets.get(poolId) ?? NO_ADDRESSES, address),
  );
  return restated(application, each(gone, "leaving"), application.revision);
}

/** Returns the rejection if the application lacks addresses of an interface whose pools are all closed. */
const shutFor = (base: Application, { shut }: Resolved): Rejection | undefined =>
  shut.find(({ interface: of }) =>
    countsOf(base).some(({ target, short }) => target.interface === of && short > 0),
  )?.rejection;

function overLimit(base: Application): Rejection | undefined {
  const wanted = base.targets.length * wantedEach(base);
  if (wanted <= APPLICATION_ADDRESSES_MAX) return undefined;
  const problem = `comes to ${wanted} addresses in all interfaces and families; an application has at most ${APPLICATION_ADDRESSES_MAX}`;
  return new Rejection("invalid_request", `addresses.number ${problem}.`, {
    fields: [{ field: "addresses.number", value: base.addresses?.number, problem }],
  });
}

/** Chooses addresses for what the application lacks, target by target. */
async function chooseMissing(
  context: Context,
  configuration: SpaceConfiguration,
  application: Application,
  countMax: number,
): Promise<{
  readonly chosen: readonly ChosenAddress[];
  readonly unfinished: Unfinished | undefined;
}> {
  const chosen: ChosenAddress[] = [];
  let unfinished: Unfinished | undefined;
  for (const { target, short } of countsOf(application)) {
    const count = Math.min(short, countMax - chosen.length);
    if (count === 0) continue;
    const listed = listedSet([...application.listed, ...chosen]);
    const wanted = { application, target, count, listed };
    const found = await chooseAddresses(context, configuration, wanted);
    chosen.push(...found.chosen);
    const missing = count - found.chosen.length;
    if (missing > 0) unfinished ??= unfinishedIn(target, missing, found.isWhole);
  }
  return { chosen, unfinished };
}

/** Tells what a target lacks. Only a request that read every group knows that its pools have no more. */
function unfinishedIn(
  { interface: of, family }: Target,
  count: number,
  isWhole: boolean,
): Unfinished {
  const more = `${count} more IPv${family} ${count === 1 ? "address" : "addresses"}${of === "" ? "" : ` of interface ${of}`}`;
  return isWhole
    ? {
        code: "pool_exhausted",
        detail: `The pools have no room for ${more}. The same PUT goes on when they have.`,
      }
    : {
        detail: `The block groups that this request read have no room for ${more}. The same PUT reads others.`,
      };
}

/** Returns true if every chosen address is still its pool's to give to applications. */
const areOpen = (chosen: readonly ChosenAddress[], configuration: SpaceConfiguration): boolean =>
  chosen.every(({ address, poolId }) => {
    const pool = configuration.pools.find(({ id }) => id === poolId);
    return (
      pool?.state === "active" &&
      !pool.disabled &&
      includesAddress(applicationSetOf(pool, configuration), address)
    );
  });

/**
 * Returns the interfaces and families in which an application wants addresses, with the pools that it names. It reads the namespace
 * only if a pool selects namespaces by labels.
 *
 * @throws {CorruptItemError} if a pool cannot be read, because its set may have addresses of the others
 */
async function resolveTargets(
  { store }: Context,
  configuration: SpaceConfiguration,
  { space, namespace }: Application,
  addresses: AddressesWanted,
): Promise<Resolved | Rejection> {
  noneUnread(configuration);
  const { pools } = configuration;
  const isAsked = pools.some(({ namespaceSelector }) => narrows(namespaceSelector));
  const found = isAsked ? await store.readNamespace(space, namespace) : undefined;
  return targetsOf(pools, addresses, {
    host: undefined,
    namespaceName: namespace,
    namespace: found?.labels,
  });
}
