import { Rejection } from "../../../base/outcome.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { COUNTED, type Counted } from "../budget.ts";
import { readQuota } from "./quotas.ts";

/** The use of each maximum of a quota that counts what is assigned at a time. */
export interface QuotaUsage {
  readonly name: string;
  readonly uses: readonly QuotaUse[];
}

interface QuotaUse {
  readonly of: Counted;
  readonly max: number;
  /** At least what is assigned: it includes what functions took to assign (I21). */
  readonly used: number;
}

/** Returns how much of a quota is used. @throws {CorruptItemError} if a count cannot be read */
export async function quotaUsage(
  context: Context,
  { space, name }: { readonly space: string; readonly name: string },
): Promise<QuotaUsage | Rejection> {
  const quota = await readQuota(context, space, name);
  if (quota instanceof Rejection) return quota;
  const uses = await inParallel(COUNTED, COUNTED.length, async (of) => {
    const max = quota[of];
    if (max === undefined) return [];
    const budget = await context.store.readBudget({ space, quota: name, of });
    return [{ of, max, used: budget?.used ?? 0 }];
  });
  return { name, uses: uses.flat() };
}
