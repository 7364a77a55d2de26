import { QUOTAS_PER_SPACE_MAX, UNTOLD_EFFECTIVE_MS_MAX } from "../../../base/limits.ts";
import type { Listed } from "../../../base/listed.ts";
import { Rejection } from "../../../base/outcome.ts";
import { same } from "../../../base/same.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import { announceChange } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import {
  knownOutcome,
  type Precondition,
  registerSpace,
  unchanged,
  unmet,
  type Written,
} from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { quotaNamed } from "../../pool/configuration.ts";
import type { Quota, QuotaSpec } from "../quota.ts";

/** Creates a quota, or changes an existing one if the precondition holds. */
export async function putQuota(
  context: Context,
  space: string,
  name: string,
  spec: QuotaSpec,
  precondition: Precondition,
): Promise<Written<Quota> | Rejection> {
  return compareAndSwap<Written<Quota> | Rejection>(`the quota ${name}`, async () => {
    const configuration = await context.store.readSpace(space);
    const seen = quotaNamed(configuration, name);
    const revision = seen?.revision;
    const isSame = same(seen, { ...spec, space, name, revision });
    const wanted = { act: "change", precondition, isSame } as const;
    const rejection = unmet({ kind: "quota", name, revision }, wanted);
    if (rejection) return answer(rejection);
    if (seen && isSame)
      return answer(unchanged(context, seen, seen.revision, UNTOLD_EFFECTIVE_MS_MAX));
    const { readableQuotas, unreadableQuotas } = configuration;
    const count = readableQuotas.length + unreadableQuotas.length;
    if (!seen && count >= QUOTAS_PER_SPACE_MAX) {
      const detail = `A space has at most ${QUOTAS_PER_SPACE_MAX} quotas.`;
      return answer(new Rejection("invalid_request", detail));
    }
    await registerSpace(context, space);
    const next: Quota = { ...spec, space, name, revision: fresh(context) };
    const put = await knownOutcome(context.store.putQuota(next, seen));
    if (put.outcome === "lost") return RETRY;
    const effectiveAtMs = await announceChange(context, space);
    return answer({ value: next, created: !seen, effectiveAtMs });
  });
}

/** Deletes a quota if the precondition holds. */
export async function deleteQuota(
  context: Context,
  space: string,
  name: string,
  precondition: Precondition,
): Promise<Written<undefined> | Rejection> {
  return compareAndSwap<Written<undefined> | Rejection>(`the quota ${name}`, async () => {
    const seen = await readQuota(context, space, name);
    if (seen instanceof Rejection) return answer(seen);
    const { revision } = seen;
    const wanted = { act: "delete", precondition } as const;
    const rejection = unmet({ kind: "quota", name, revision }, wanted);
    if (rejection) return answer(rejection);
    const deleted = await knownOutcome(context.store.deleteQuota(seen));
    if (deleted.outcome === "lost") return RETRY;
    const effectiveAtMs = await announceChange(context, space);
    return answer({ value: undefined, created: false, effectiveAtMs });
  });
}

export async function readQuota(
  context: Context,
  space: string,
  name: string,
): Promise<Quota | Rejection> {
  return quotaNamed(await context.store.readSpace(space), name) ?? notFound(space, "quota", name);
}

export async function listQuotas(context: Context, space: string): Promise<Listed<Quota>> {
  const { readableQuotas, unreadableQuotas } = await context.store.readSpace(space);
  return { items: readableQuotas, unreadable: unreadableQuotas.map((each) => each.unreadable) };
}
