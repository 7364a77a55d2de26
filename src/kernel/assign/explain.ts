import { isCutShort, Rejection } from "../../base/outcome.ts";
import { type Family, formatAddress } from "../../net/address.ts";
import { addressAt, formatCidr } from "../../net/cidr.ts";
import { hasHosts } from "../../nouns/pool/pool.ts";
import type { Rule } from "../../selection/acquire-pools.ts";
import type { PoolCandidate } from "../../selection/selection.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { awaitAll } from "../core/parallel.ts";
import { withCalls } from "../core/store.ts";
import { assign } from "./assign.ts";
import {
  type Assignment,
  type AssignRequest,
  eachWanted,
  type Shortage,
  totalOf,
  type WantedCount,
} from "./assignment.ts";
import { consideredPools } from "./family-requests.ts";
import { requesterOf } from "./requester.ts";

/**
 * The source of addresses: the host's own block, a claimed free one, a seized empty one, or one that the host borrows from; in a
 * ranged pool or one of prefixes a new block or one without a host; or the handle, which is at its limit, already has them.
 */
type Action = "own" | "claim" | "seize" | "borrow" | "create" | "share" | "alreadyAssigned";

/** The effect that a request would have. */
export interface Explanation extends Shortage {
  readonly requested: number;
  /** The rejection of the request. */
  readonly rejection?: Rejection;
  readonly families: readonly FamilyExplanation[];
}

interface FamilyExplanation {
  readonly interface?: string;
  readonly family: Family;
  readonly requested: number;
  /** The rule that gives the family its candidates. */
  readonly rule: Rule;
  readonly pools: readonly PoolCandidate[];
  /** The blocks that would serve. The claimed free block is chosen at random each time. */
  readonly blocks: readonly {
    readonly action: Action;
    readonly block: string;
    readonly pool: string;
    readonly count: number;
  }[];
  /** The rejection of this family on its own. */
  readonly rejection?: Rejection;
}

/**
 * Explains the result of a request to assign: every considered pool, and the blocks that it would take from, or the rejection.
 * It runs `assign` with an empty cache over a table that keeps its writes to itself. It ignores the Idempotency-Key, because it
 * answers what a new request would get. An instance of a workload may have its addresses already.
 *
 * @param dryRunContext returns a new context over such a table
 * @throws the errors of `assign`
 */
export async function explain(
  dryRunContext: () => Context,
  request: AssignRequest,
): Promise<Explanation> {
  const { keyId: _, ...withoutKey } = request;
  const unkeyed = request.workload ? request : withoutKey;
  const context = dryRunContext();
  const configuration = await configurationOf(context, request.space);
  const whole = await dryRunOf(context, unkeyed);
  const { answer } = whole;
  const requester = await requesterOf(context, unkeyed, configuration);
  const shared = new Set(
    configuration.pools.filter((pool) => !hasHosts(pool)).map(({ name }) => name),
  );
  const families = eachWanted(unkeyed).map(
    async ({ one, family, count }): Promise<FamilyExplanation> => {
      const { rule, pools } = consideredPools(one, configuration, requester, family);
      const ofInterface = one.interface !== undefined && { interface: one.interface };
      const asked = { family, count, ...ofInterface };
      // A dry run of each family alone shows which family is rejected, and why.
      const isNone = answer instanceof Rejection || addressesFor(asked, answer).length === 0;
      const own =
        isNone && request.wanted.length > 1
          ? await dryRunOf(dryRunContext(), alone(unkeyed, asked))
          : whole;
      const told = { ...ofInterface, family, requested: count, rule, pools };
      return { ...told, ...outcomeOf(own, asked, shared) };
    },
  );
  return {
    requested: totalOf(request.wanted),
    ...(answer instanceof Rejection
      ? { messages: [], missing: answer.members.missing ?? [], rejection: answer }
      : { messages: answer.messages, missing: answer.missing }),
    families: await awaitAll(...families),
  };
}

interface DryRunResult {
  readonly answer: Assignment | Rejection;
  /** The actions on blocks during the execution, by CIDR. */
  readonly actions: ReadonlyMap<string, Action>;
  /** The addresses that were taken on the way. */
  readonly taken: ReadonlySet<string>;
}

async function dryRunOf(context: Context, request: AssignRequest): Promise<DryRunResult> {
  const { store } = context;
  const actions = new Map<string, Action>();
  const taken = new Set<string>();
  const noting: Context = {
    ...context,
    store: withCalls(store, {
      async createBlock(block) {
        const created = await store.createBlock(block);
        if (created.outcome === "done")
          actions.set(formatCidr(block.cidr), block.host === undefined ? "create" : "claim");
        return created;
      },
      async changeHost(step, seen, host, fresh) {
        const changed = await store.changeHost(step, seen, host, fresh);
        if (changed.outcome === "done") actions.set(formatCidr(seen.cidr), "seize");
        return changed;
      },
      async takeSlots(learned, takes, ...how) {
        const outcome = await store.takeSlots(learned, takes, ...how);
        if (outcome.outcome === "done")
          for (const { ordinal } of takes.flatMap(({ slots }) => slots))
            taken.add(formatAddress(addressAt(learned.cidr, ordinal)));
        return outcome;
      },
    }),
  };
  try {
    return { answer: await assign(noting, request), actions, taken };
  } catch (error) {
    // A dry run holds nothing, so the error names no handle to release.
    if (isCutShort(error)) delete error.handle;
    throw error;
  }
}

/** Returns the request for one family of one interface. */
const alone = (request: AssignRequest, wanted: WantedCount): AssignRequest => ({
  ...request,
  wanted: [wanted],
  ...(request.addresses && {
    addresses: request.addresses.filter(({ family }) => family === wanted.family),
  }),
  ...(request.interfaces && {
    interfaces: request.interfaces.filter(({ name }) => name === wanted.interface),
  }),
});

const addressesFor = ({ family, interface: of }: WantedCount, { addresses }: Assignment) =>
  addresses.filter((each) => each.family === family && each.interface === of);

/** @param shared the names of the pools whose blocks have no host */
function outcomeOf(
  { answer, actions, taken }: DryRunResult,
  wanted: WantedCount,
  shared: ReadonlySet<string>,
) {
  if (answer instanceof Rejection) return { blocks: [], rejection: answer };
  const blocks = new Map<string, FamilyExplanation["blocks"][number]>();
  for (const { address, block, pool, borrowed } of addressesFor(wanted, answer)) {
    const existing = shared.has(pool) ? "share" : borrowed ? "borrow" : "own";
    const from = actions.get(block) ?? existing;
    const action = taken.has(address) ? from : "alreadyAssigned";
    const key = `${action} ${block}`;
    const count = 1 + (blocks.get(key)?.count ?? 0);
    blocks.set(key, { action, block, pool, count });
  }
  return { blocks: [...blocks.values()] };
}
