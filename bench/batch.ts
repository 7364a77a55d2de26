import { handleHash } from "../src/base/hash.ts";
import { Rejection } from "../src/base/outcome.ts";
import type { Assignment } from "../src/kernel/assign/assignment.ts";
import { type BatchItem, type BatchResult, batch } from "../src/kernel/batch/batch.ts";
import { putSettings } from "../src/nouns/pool/operations/administration.ts";
import { SETTINGS_DEFAULT } from "../src/nouns/settings/settings.ts";
import type { Budget } from "../test/operations/measured.ts";
import { proofOf } from "./asked.ts";
import type { Bench, Line } from "./operations.ts";
import { makePool } from "./pool.ts";

const SPACE = "batch";

/**
 * Measures batches of a host: of many handles, of many addresses of one handle, and the release of what they assigned. The assigns and
 * the releases of the many handles are also measured one after another.
 */
export async function measureBatch(bench: Bench): Promise<readonly Line[]> {
  const lines: Line[] = [];
  await makePool(bench.cold(), { space: SPACE, name: "pool", cidr: "10.0.0.0/16" });
  const measured = async (
    operation: string,
    budget: Budget,
    batches: readonly (readonly BatchItem[])[],
  ) => {
    const answers: Assignment[] = [];
    const context = bench.cold();
    const cost = await bench.meter.measure(async () => {
      for (const items of batches) answers.push(...assignedBy(await batch(context, items)));
    });
    lines.push({ operation, size: "/16", fill: "0 %", cost, budget });
    return answers;
  };
  const podsOf = (host: string) =>
    Array.from({ length: 1_000 }, (_, n) => item(`${host}-${n}`, 1, host));
  const handles = await measured(
    "batch: an address for each of 1,000 handles",
    [400, 1_290, 300],
    [podsOf("node-1")],
  );
  const alone = await measured(
    "one after another: an address for each of 1,000 handles",
    [2_400, 2_700, 300],
    podsOf("node-4").map((pod) => [pod]),
  );
  await measured(
    "batch: 1,000 addresses of one handle, in 4 requests",
    [200, 150, 300],
    [Array.from({ length: 4 }, (_, n) => item("cluster", 250, "node-2", `${n}`))],
  );
  await putSettings(
    bench.cold(),
    SPACE,
    { ...SETTINGS_DEFAULT, maxAddressesPerRequest: 1_000 },
    undefined,
  );
  await measured(
    "batch: 1,000 addresses of one handle, in 1 request (maxAddressesPerRequest 1,000)",
    [150, 129, 150],
    [[item("network", 1_000, "node-3")]],
  );
  await measured(
    "batch: release of the addresses of 1,000 handles",
    [400, 2_300, 300],
    [handles.map(releaseOf)],
  );
  await measured(
    "one after another: release of the addresses of 1,000 handles",
    [2_400, 4_200, 300],
    alone.map((told) => [releaseOf(told)]),
  );
  return lines;
}

function assignedBy(results: readonly BatchResult[]): readonly Assignment[] {
  return results.flatMap((result) => {
    if (result.kind === "released" && result.answer.complete) return [];
    if (result.kind !== "assigned") throw new Error(`a request of the batch is ${result.kind}`);
    if (result.answer instanceof Rejection) throw new Error(result.answer.detail);
    return [result.answer];
  });
}

const releaseOf = (told: Assignment): BatchItem => ({
  kind: "release",
  space: SPACE,
  entries: [proofOf(told)],
  keep: false,
});

const item = (handle: string, count: number, host: string, key = "key"): BatchItem => ({
  kind: "assign",
  request: {
    space: SPACE,
    host: `host:${host}`,
    wanted: [{ family: 4, count }],
    handle,
    attributes: {},
    pools: [],
    keyId: handleHash(`${handle}/${key}`),
    digest: `${handle} ${count}`,
  },
});
