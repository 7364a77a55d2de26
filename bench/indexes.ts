import { EVERY_SHARD } from "../src/base/hash.ts";
import { Rejection } from "../src/base/outcome.ts";
import type { AssignRequest } from "../src/kernel/assign/assignment.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { INDEX_SETTLE_MS } from "../src/kernel/values/limits.ts";
import { putSettings, readSettings } from "../src/nouns/pool/operations/administration.ts";
import type { Budget } from "../test/operations/measured.ts";
import { assigned, give } from "./asked.ts";

type Measure = <T>(operation: string, budget: Budget, act: () => Promise<T>) => Promise<T>;

/** Sets the indexed attributes of a space, as if walks had entered all that it has. */
export async function setIndexes(
  context: Context,
  space: string,
  indexedAttributes: readonly string[],
): Promise<void> {
  const { settings, revision } = await readSettings(context, space);
  const written = await putSettings(context, space, { ...settings, indexedAttributes }, revision);
  if (written instanceof Rejection) throw new Error(written.detail);
  const indexedFromMs = context.now() + INDEX_SETTLE_MS;
  for (const shard of EVERY_SHARD) await context.store.writeProgress(shard, { indexedFromMs });
}

/**
 * Measures an assign and a release of an address with indexed attributes.
 *
 * @param warm knows the block of the host, and learns of new indexes at once
 */
export async function measureIndexes(
  warm: Context,
  request: AssignRequest,
  measured: Measure,
): Promise<void> {
  const { space } = request;
  for (const names of [["pod"], ["pod", "namespace"]]) {
    await setIndexes(warm, space, names);
    await give(warm, space, await assigned(warm, request));
    const [count, more] = [names.length, names.length === 1 ? "attribute" : "attributes"];
    const what = `with ${count} indexed ${more}`;
    const told = await measured(`assign, warm, ${what}`, [2, 3 + count, 0], () =>
      assigned(warm, request),
    );
    await measured(`release by address and generation, ${what}`, [3, 3 + count, 0], () =>
      give(warm, space, told),
    );
  }
  await setIndexes(warm, space, []);
}
