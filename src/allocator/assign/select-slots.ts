import { type FreedByTime, sumOfFreed } from "../../domain/freed-by-time.ts";
import type { Places } from "../../domain/full-block.ts";
import { inTurn, Rejection, together } from "../../domain/outcome.ts";
import { isRanged, type Pool } from "../../domain/pool.ts";
import type { Context } from "../core/context.ts";
import { allOf } from "../core/parallel.ts";
import { ofInterface } from "./interfaces.ts";
import { timesOf } from "./rejections.ts";
import { selectHeld } from "./select-held.ts";
import { selectInSet } from "./select-in-set.ts";
import { selectFrom, selectOfHost } from "./select-of-host.ts";
import { countOf, type FamilyRequest, type Found, type SlotSelection } from "./selection.ts";

/**
 * Selects slots for both families side by side. A rejection of one family rejects the request, unless partial is allowed.
 *
 * @param places the host's places, if they were read already
 */
export async function selectSlots(
  context: Context,
  familyRequests: readonly FamilyRequest[],
  places: Places | undefined,
): Promise<readonly SlotSelection[] | Rejection> {
  const families = [...new Set(familyRequests.map(({ family }) => family))];
  const found = await allOf(
    ...families.map((family) => {
      const ofFamily = familyRequests.filter((each) => each.family === family);
      return selectInTurn(context, ofFamily, places);
    }),
  );
  const selections = found.flatMap((each) => (each instanceof Rejection ? [] : each));
  const [first, ...others] = found.filter((each) => each instanceof Rejection);
  if (!first || (familyRequests[0]?.allowPartial && selections.length > 0)) return selections;
  return together(first, ...others);
}

/**
 * Selects slots for the interfaces of one family, one after another. So no two of them take the same slot, and the host does not claim
 * a block for each.
 */
async function selectInTurn(
  context: Context,
  familyRequests: readonly FamilyRequest[],
  places: Places | undefined,
): Promise<readonly SlotSelection[] | Rejection> {
  const others: SlotSelection[] = [];
  for (const [n, familyRequest] of familyRequests.entries()) {
    // The search for an earlier interface may have changed what the host has.
    const current = n === 0 ? places : undefined;
    // A copy, because a later choice for this interface may take its own slots again.
    const beside = { ...familyRequest, others: [...(familyRequest.others ?? []), ...others] };
    const selected = await selectForFamily(context, beside, current);
    const { interface: of } = familyRequest;
    if (selected instanceof Rejection) return ofInterface(of, selected);
    others.push(...selected.map((each) => (of === undefined ? each : { ...each, interface: of })));
  }
  return others;
}

/**
 * Selects slots for one family: of the addresses of its application, if it has one; else stage by stage: a ranged pool is one stage, and neighbours without ranges are one. The next stage
 * begins only after this one has nothing more.
 */
async function selectForFamily(
  context: Context,
  familyRequest: FamilyRequest,
  places: Places | undefined,
): Promise<readonly SlotSelection[] | Rejection> {
  const { pools, count, allowPartial, ofApplication } = familyRequest;
  if (ofApplication) return selectHeld(context, familyRequest, ofApplication);
  const selections: SlotSelection[] = [];
  const rejections: Rejection[] = [];
  const freed: FreedByTime[] = [];
  for (const stage of stagesOf(pools)) {
    const missing = count - countOf(selections);
    const inStage = { ...familyRequest, pools: stage, serving: pools, count: missing };
    const found = await selectInStage(context, inStage, places);
    selections.push(...found.selections);
    if (!found.rejection) return selections;
    rejections.push(found.rejection);
    if (found.freed) freed.push(found.freed);
  }
  const [first, ...others] = rejections;
  return !first || (allowPartial && selections.length > 0)
    ? selections
    : afterAllStages(first, others, (missing) =>
        timesOf(sumOfFreed(freed), missing, context.now()),
      );
}

/** Returns the pools in their order, stage by stage. */
function stagesOf(pools: readonly Pool[]): readonly (readonly Pool[])[] {
  const stages: Pool[][] = [];
  for (const pool of pools) {
    const last = stages.at(-1);
    if (last?.[0] && !isRanged(last[0]) && !isRanged(pool)) last.push(pool);
    else stages.push([pool]);
  }
  return stages;
}

/** Selects from one stage: from cached blocks if they suffice, else from blocks that a search finds. */
async function selectInStage(
  context: Context,
  familyRequest: FamilyRequest,
  places: Places | undefined,
): Promise<Found> {
  const [first] = familyRequest.pools;
  if (first && isRanged(first)) return selectInSet(context, familyRequest, first);
  const { space, host, count } = familyRequest;
  const cached = selectFrom(context, familyRequest, context.cache.blocksOf(space, host));
  return countOf(cached) === count
    ? { selections: cached }
    : selectOfHost(context, familyRequest, places);
}

/**
 * Joins the rejections of all stages. Only the last one says how many addresses are missing. What time frees in several stages counts
 * together.
 *
 * @param timesFor returns the members that say when so many addresses are free
 */
function afterAllStages(
  first: Rejection,
  others: readonly Rejection[],
  timesFor: (missing: number) => object,
): Rejection {
  if (others.length === 0) return first;
  const joined = inTurn(first, ...others);
  const { missing = [] } = (others.at(-1) ?? first).members;
  return new Rejection(joined.code, joined.detail, {
    ...joined.members,
    ...timesFor(missing.reduce((sum, { count }) => sum + count, 0)),
    ...(missing.length > 0 && { missing }),
  });
}
