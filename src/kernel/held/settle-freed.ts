import { formatAddress } from "../../net/address.ts";
import { contains } from "../../net/cidr.ts";
import { nameOfApplication } from "../../nouns/application/application.ts";
import { each, restated } from "../../nouns/application/changes.ts";
import { answer, compareAndSwap, RETRY } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import type { Allocation, Part } from "../values/allocation.ts";
import { freeSurplus } from "./free-surplus.ts";
import { leave } from "./leave.ts";

/**
 * Settles addresses that an instance freed, and that its application holds again. Most stay. An address goes if the
 * application lists it as leaving, if the application has more than its number, or if the address was reported as a conflict.
 *
 * It reads the application after the slots were freed. A change of the application writes the item before it looks at the slots. So one
 * of the two sees the other, and no address is left over (I15).
 */
export async function settleFreed(context: Context, allocation: Allocation): Promise<void> {
  const { workload, conflicts, place } = allocation;
  const blocks = allocation.parts.filter(isOfApplication).map(({ block }) => block);
  if (!workload || blocks.length === 0) return;
  await compareAndSwap(`the application ${nameOfApplication(workload)}`, async () => {
    const seen = await context.store.readApplication(place.space, workload);
    if (!seen) return answer(undefined);
    const near = seen.listed.filter(({ address }) =>
      blocks.some((cidr) => contains(cidr, address)),
    );
    const lost = near.filter(
      ({ state, address }) => state === "leaving" || conflicts.has(formatAddress(address)),
    );
    const without = restated(seen, each(lost, "leaving"), seen.revision);
    const goes = [...lost, ...(await freeSurplus(context, without, { among: near }))];
    const isOver = goes.length === 0 || (await leave(context, seen, goes)) !== undefined;
    return isOver ? answer(undefined) : RETRY;
  });
}

const isOfApplication = ({ ofApplication }: Part): boolean => ofApplication === true;
