import { putSettings } from "../src/allocator/admin/administration.ts";
import { putNamespace } from "../src/allocator/admin/namespaces.ts";
import { putQuota } from "../src/allocator/admin/quotas.ts";
import type { Context } from "../src/allocator/core/context.ts";
import { runJobs } from "../src/allocator/jobs/run-jobs.ts";
import { deleteSpace } from "../src/allocator/jobs/space-jobs.ts";
import { SETTINGS_DEFAULT } from "../src/domain/pool.ts";
import type { Measure } from "./quotas.ts";

/** Measures the deletion of a space with settings, a quota and a namespace: the request, and the work of its job. */
export async function measureSpaces(
  cold: () => Context,
  space: string,
  measured: Measure,
): Promise<void> {
  await putSettings(cold(), space, SETTINGS_DEFAULT, undefined);
  await putQuota(cold(), space, "all", { addresses: 8 }, undefined);
  await putNamespace(cold(), space, "shop", { labels: {} }, undefined);
  await measured("deletion of a space with three items, cold function", [9, 4, 10], () =>
    deleteSpace(cold(), space),
  );
  await measured("… its worker, cold function", [11, 11, 14], () => runJobs(cold()));
}
