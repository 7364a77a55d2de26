import { groupedBy } from "../base/grouped-by.ts";
import { PUBLISHED_AT_ONCE } from "../base/limits.ts";
import { inParallel } from "../kernel/core/parallel.ts";
import type { ItemChange } from "../table/change-log.ts";
import { addressDetailOf } from "./address-detail.ts";
import { AddressTeller, type OwnerThen } from "./address-teller.ts";
import type { Draft } from "./draft.ts";
import { type Sources, type ToldChange, toldAs } from "./told.ts";
import type { Understood } from "./understood.ts";

interface Drafted {
  readonly change: ItemChange;
  readonly draft: Draft;
}

/**
 * Makes the events of changes, in the order of the changes. Those of one address are made one after the other, so that
 * each knows who had the address before it.
 */
export async function tell(
  changes: readonly Understood[],
  sources: Sources,
): Promise<readonly ToldChange[]> {
  const owners = groupedBy(
    changes.flatMap(({ change: { sequence }, owners }) =>
      owners.map((owner): OwnerThen => ({ sequence, owner })),
    ),
    ({ owner }) => owner.part.token,
  );
  const drafted = changes.flatMap(({ change, drafts }) =>
    drafts.map((draft): Drafted => ({ change, draft })),
  );
  const told = new Map<Drafted, ToldChange>();
  // The drafts of one address are one group, and any other draft is one by itself.
  const groups = groupedBy(drafted, (one) => addressOf(one.draft) ?? one);
  await inParallel([...groups.values()], PUBLISHED_AT_ONCE, async (group) => {
    const teller = new AddressTeller(owners, sources);
    for (const one of group) told.set(one, await toldOf(one, { teller, sources }));
  });
  return drafted.flatMap((one) => told.get(one) ?? []);
}

async function toldOf(
  { change, draft }: Drafted,
  { teller, sources }: { readonly teller: AddressTeller; readonly sources: Sources },
): Promise<ToldChange> {
  switch (draft.kind) {
    case "slot":
      return teller.slot(change, draft);
    case "owner":
      return teller.owner(change, draft);
    case "unleased":
      return teller.unleased(change, draft);
    case "full": {
      const { pools } = await sources.store.readSpace(draft.space);
      const pool = pools.find(({ id }) => id === draft.poolId);
      const detail = pool ? { pool: pool.name } : {};
      return toldAs(change, { ...draft, type: "PoolExhausted", subject: draft.poolId, detail });
    }
    case "whole":
      return toldAs(change, draft);
    default:
      return draft satisfies never;
  }
}

function addressOf(draft: Draft): string | undefined {
  if (draft.kind === "slot")
    return `${draft.block.space} ${addressDetailOf(draft.block, draft.event.ordinal).address}`;
  if (draft.kind === "owner") return `${draft.space} ${draft.detail.address}`;
  return draft.kind === "unleased" ? `${draft.space} ${draft.address}` : undefined;
}
