import type { Assignment, AssignRequest } from "../src/kernel/assign/assignment.ts";
import type { Context } from "../src/kernel/core/context.ts";
import type { HostId } from "../src/kernel/values/host.ts";
import { putQuota } from "../src/nouns/quota/operations/quotas.ts";
import type { Budget } from "../test/operations/measured.ts";
import { assigned, give } from "./asked.ts";

export type Measure = <T>(operation: string, budget: Budget, act: () => Promise<T>) => Promise<T>;

/** Assigns until the function has pieces of the budget to spend. */
const WARM_UP_ASSIGNS = 4;

/**
 * Measures an assign and a release under quotas of addresses: a large one, of which a function takes pieces, and a small one, of
 * which it takes one by one.
 *
 * @param warm knows the block of the host, and learns of new quotas at once
 */
export async function measureQuotas(
  warm: Context,
  request: AssignRequest,
  measured: Measure,
): Promise<void> {
  const { space } = request;
  const attributes = (tenant: string) => ({ ...request, attributes: { tenant } });
  await putQuota(warm, space, "large", { tenant: "large", addresses: 1_000_000 }, undefined);
  await putQuota(warm, space, "small", { tenant: "small", addresses: 8 }, undefined);
  const held: Assignment[] = [];
  for (let n = 0; n < WARM_UP_ASSIGNS; n++) held.push(await assigned(warm, attributes("large")));
  const assign = (tenant: string) => () => assigned(warm, attributes(tenant));
  held.push(await measured("assign, warm, under a large quota", [2, 3, 0], assign("large")));
  held.push(await assigned(warm, attributes("small")));
  held.push(await measured("assign, warm, under a small quota", [3, 4, 0], assign("small")));
  const claim = (host: HostId) => () => assigned(warm, { ...attributes("red"), host });
  await putQuota(warm, space, "blocks", { tenant: "red", blocks: 8 }, undefined);
  held.push(await assigned(warm, { ...attributes("red"), host: "host:red-1" }));
  held.push(
    await measured(
      "assign that claims a block, warm, under a quota of blocks",
      [9, 7, 3],
      claim("host:red-2"),
    ),
  );
  const [first, ...others] = held;
  if (first)
    await measured("release by address and generation, under a quota", [3, 4, 0], () =>
      give(warm, space, first),
    );
  for (const one of others) await give(warm, space, one);
}
