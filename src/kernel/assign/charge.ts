import { Rejection } from "../../base/outcome.ts";
import { charge, unspend } from "../quotas/budgets.ts";
import { type AssignExecution, callerOf } from "./execution.ts";
import { slotCount } from "./selection.ts";

/**
 * Charges what an execution is about to take to the quotas that limit it. What a host says it has is not asked for: the repair run
 * charges it.
 *
 * @param count the number of slots that it selected
 * @returns the rejection of a quota that allows no more
 */
export async function chargeFor(
  execution: AssignExecution,
  count: number,
): Promise<Rejection | undefined> {
  const { context, request, quotas, held } = execution;
  const isSaid = request.stated !== undefined || (request.prefixes?.stated ?? []).length > 0;
  if (isSaid) return undefined;
  const has = execution.charge?.count ?? 0;
  const wanted = slotCount(held) + count;
  if (wanted <= has) return undefined;
  const of = request.prefixes ? "prefixes" : "addresses";
  const subject = { assignedBy: callerOf(execution), attributes: request.attributes, quotas };
  const more = await charge(context, subject, { of, count: wanted - has });
  if (more instanceof Rejection) return more;
  // An allocation names one round of each budget. The earlier one is right for both: the repair run moves all of it to the later one.
  execution.charge = { charges: execution.charge?.charges ?? more, count: wanted };
  return undefined;
}

/** Leaves what an execution charged to its budgets for good: another caller may have given it back. It goes with their rounds (I21). */
export function leaveCharged(execution: AssignExecution, count: number): void {
  const { charge } = execution;
  if (charge) execution.charge = { ...charge, count: charge.count - count };
}

/** Returns what an execution charged and does not hold. After a write without an answer it may hold it. */
export async function unspendRest(execution: AssignExecution): Promise<void> {
  const { context, request, charge, held, unsettled } = execution;
  execution.charge = undefined;
  if (!charge || unsettled) return;
  await unspend(context, request.space, charge.charges, charge.count - slotCount(held));
}
