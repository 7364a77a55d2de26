import { QUOTAS_PER_SPACE_MAX, UNTOLD_EFFECTIVE_MS_MAX } from "../../../base/limits.ts";
import type { Listed } from "../../../base/listed.ts";
import { Rejection } from "../../../base/outcome.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import { announceChange } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import {
  deleteResource,
  type Precondition,
  putResource,
  registerSpace,
  type Written,
} from "../../../kernel/core/written.ts";
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
  const { store } = context;
  let count = 0;
  return putResource<Quota>(context, { kind: "quota", space, name }, precondition, {
    async read() {
      const configuration = await store.readSpace(space);
      count = configuration.readableQuotas.length + configuration.unreadableQuotas.length;
      return quotaNamed(configuration, name);
    },
    make: (_, revision) => ({ ...spec, space, name, revision }),
    async prepare(_, seen) {
      if (!seen && count >= QUOTAS_PER_SPACE_MAX)
        return new Rejection(
          "invalid_request",
          `A space has at most ${QUOTAS_PER_SPACE_MAX} quotas.`,
        );
      await registerSpace(context, space);
      return undefined;
    },
    put: (next, seen) => store.putQuota(next, seen),
    announce: () => announceChange(context, space),
    effectiveMsMax: UNTOLD_EFFECTIVE_MS_MAX,
  });
}

/** Deletes a quota if the precondition holds. */
export async function deleteQuota(
  context: Context,
  space: string,
  name: string,
  precondition: Precondition,
): Promise<Written<undefined> | Rejection> {
  return deleteResource<Quota>({ kind: "quota", space, name }, precondition, {
    read: () => findQuota(context, space, name),
    remove: (seen) => context.store.deleteQuota(seen),
    announce: () => announceChange(context, space),
  });
}

export async function readQuota(
  context: Context,
  space: string,
  name: string,
): Promise<Quota | Rejection> {
  return (await findQuota(context, space, name)) ?? notFound(space, "quota", name);
}

async function findQuota(context: Context, space: string, name: string) {
  return quotaNamed(await context.store.readSpace(space), name);
}

export async function listQuotas(context: Context, space: string): Promise<Listed<Quota>> {
  const { readableQuotas, unreadableQuotas } = await context.store.readSpace(space);
  return { items: readableQuotas, unreadable: unreadableQuotas.map((each) => each.unreadable) };
}
