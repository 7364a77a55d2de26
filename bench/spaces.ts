import type { Context } from "../src/kernel/core/context.ts";
import { runJobs } from "../src/maintenance/run-jobs.ts";
import { putSettings } from "../src/nouns/pool/operations/administration.ts";
import { putQuota } from "../src/nouns/quota/operations/quotas.ts";
import { putNamespace } from "../src/nouns/registry/operations/namespaces.ts";
import { SETTINGS_DEFAULT } from "../src/nouns/settings/settings.ts";
import { deleteSpace } from "../src/nouns/space/operations/space-jobs.ts";
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
