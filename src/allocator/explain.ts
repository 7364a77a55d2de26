import type { Family } from "../domain/address.ts";
import { formatCidr } from "../domain/cidr.ts";
import { Busy, Refusal, Unavailable } from "../domain/outcome.ts";
import type { Judged } from "../domain/selection.ts";
import { assign } from "./assign.ts";
import { type Assignment, type AssignRequest, totalOf } from "./assignment.ts";
import { configurationOf } from "./configuration.ts";
import type { Context } from "./context.ts";
import { consideredPools } from "./wish.ts";

/** What a request would do in a block: take from the host's own, claim a free one, take over an empty one, or borrow. */
type Action = "own" | "claim" | "takeOver" | "borrow";

/** What a request would come to. */
export interface Explanation {
  readonly requested: number;
  /** Why it would be refused. */
  readonly refusal?: Refusal;
  /** Why there would be fewer addresses than were asked for. */
  readonly messages: readonly string[];
  readonly families: readonly FamilyExplanation[];
}

interface FamilyExplanation {
  readonly family: Family;
  readonly requested: number;
  readonly pools: readonly Judged[];
  /** Where its addresses would come from. Which free block is claimed is drawn anew each time. */
  readonly blocks: readonly {
    readonly action: Action;
    readonly block: string;
    readonly pool: string;
    readonly count: number;
  }[];
  /** Why this family, asked for by itself, would be refused. */
  readonly refusal?: Refusal;
}

/**
 * Explains what a request to assign would come to: every pool that is considered, and the blocks it would take from, or the
 * refusal. It is the very walk of `assign`, as of a function that remembers nothing, over a table that keeps its writes to
 * itself. An Idempotency-Key is not looked at: the question is what a new request would get.
 *
 * @param rehearse a context over such a table, a new one each time. Throws what `assign` throws
 */
export async function explain(
  rehearse: () => Context,
  request: AssignRequest,
): Promise<Explanation> {
  const { keyId: _, ...unkeyed } = request;
  const context = rehearse();
  const configuration = await configurationOf(context, request.space);
  const { answer, actions } = await rehearsed(context, unkeyed);
  const families = request.wanted.map(async ({ family, count }): Promise<FamilyExplanation> => {
    const pools = consideredPools(request, configuration, family);
    // Refused as a whole: which family is to blame shows when each is asked for by itself.
    const own =
      answer instanceof Refusal && request.wanted.length > 1
        ? await rehearsed(rehearse(), { ...unkeyed, wanted: [{ family, count }] })
        : { answer, actions };
    return { family, requested: count, pools, ...outcomeOf(own, family) };
  });
  return {
    requested: totalOf(request.wanted),
    messages: answer instanceof Refusal ? [] : answer.messages,
    ...(answer instanceof Refusal && { refusal: answer }),
    families: await Promise.all(families),
  };
}

interface Rehearsed {
  readonly answer: Assignment | Refusal;
  /** What was done to blocks on the way, by CIDR. */
  readonly actions: ReadonlyMap<string, Action>;
}

async function rehearsed(context: Context, request: AssignRequest): Promise<Rehearsed> {
  const { store } = context;
  const actions = new Map<string, Action>();
  const noting: Context = {
    ...context,
    store: {
      ...store,
      async createBlock(block) {
        const created = await store.createBlock(block);
        if (created.outcome === "done") actions.set(formatCidr(block.cidr), "claim");
        return created;
      },
      async changeHost(step, seen, host, fresh) {
        const changed = await store.changeHost(step, seen, host, fresh);
        if (changed.outcome === "done") actions.set(formatCidr(seen.cidr), "takeOver");
        return changed;
      },
    },
  };
  try {
    return { answer: await assign(noting, request), actions };
  } catch (error) {
    // Nothing is held, whatever happened: there is no handle to give anything back by.
    if (error instanceof Busy || error instanceof Unavailable) delete error.handle;
    throw error;
  }
}

function outcomeOf({ answer, actions }: Rehearsed, family: Family) {
  if (answer instanceof Refusal) return { blocks: [], refusal: answer };
  const blocks = new Map<string, FamilyExplanation["blocks"][number]>();
  for (const { block, pool, borrowed, family: its } of answer.addresses) {
    if (its !== family) continue;
    const action = actions.get(block) ?? (borrowed ? "borrow" : "own");
    const count = 1 + (blocks.get(block)?.count ?? 0);
    blocks.set(block, { action, block, pool, count });
  }
  return { blocks: [...blocks.values()] };
}
