import { handleHash } from "../../src/base/hash.ts";
import { Rejection } from "../../src/base/outcome.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import { type BatchItem, type BatchResult, batch } from "../../src/kernel/batch/batch.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import type { Random } from "../../src/kernel/values/fresh.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { requestOf } from "./layers.ts";
import type { Promised } from "./ledger.ts";
import { SPACE } from "./requests.ts";
import type { Life } from "./run.ts";
import type { Scenario } from "./scenario.ts";

/** The share of runs in which somebody sends batches. */
const BATCHES_SHARE = 0.2;
const BATCHES = 3;
const TRIES_MAX = 3;

/** Draws the assigns of each batch, for handles and hosts of which several share a block; nothing in most runs. */
export function drawBatches(
  random: Random,
  scenario: Scenario,
): readonly (readonly AssignRequest[])[] {
  if (random.fraction() >= BATCHES_SHARE) return [];
  const below = (n: number) => Math.floor(random.fraction() * n);
  return Array.from({ length: BATCHES }, (_, n) =>
    Array.from({ length: 2 + below(4) }, (_, at): AssignRequest => {
      const handle = `batch-${below(3)}`;
      const key = `${n}/${at}`;
      return {
        space: SPACE,
        host: scenario.hosts[below(2)] as HostId,
        wanted: [{ family: 4, count: 1 + below(2) }],
        handle,
        attributes: {},
        pools: [],
        keyId: handleHash(`${handle}/${key}`),
        digest: `batch ${key}`,
      };
    }),
  );
}

/** Acts as a provisioner: it sends batches, again if they are not complete, and releases in batches what it was told of. */
export async function provisionerOfMany(
  context: Context,
  life: Life,
  batches: readonly (readonly AssignRequest[])[],
): Promise<void> {
  let had: readonly Promised[] = [];
  for (const requests of batches) {
    await context.sleep(20_000 * context.random.fraction());
    const released = had.filter(() => context.random.fraction() < 0.7);
    had = await send(context, life, requests, released);
  }
}

/** Sends assigns and releases in one batch until each assign has an answer. Returns what it was told of. */
async function send(
  context: Context,
  { scheduler, ledger }: Life,
  requests: readonly AssignRequest[],
  released: readonly Promised[],
): Promise<readonly Promised[]> {
  const assigns = requests.map((request): BatchItem => ({ kind: "assign", request }));
  const releases = released.map(
    ({ at, parsed }): BatchItem => ({
      kind: "release",
      space: SPACE,
      entries: [{ address: at, generation: parsed }],
      keep: false,
    }),
  );
  for (const promised of released) ledger.letGo(promised);
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    // An address that the batch assigned early may be released before it answers.
    const since = ledger.moment;
    const results = await scheduler.trying(() =>
      batch(requestOf(context), [...assigns, ...releases]),
    );
    if (results?.every(isFinal)) {
      for (const [n, promised] of released.entries())
        if (isOver(results[assigns.length + n])) ledger.gone(promised);
      return requests.flatMap((request, n) => {
        const result = results[n];
        if (result?.kind !== "assigned" || result.answer instanceof Rejection) return [];
        scheduler.count("batch: assigned");
        return ledger.hear(request.handle, request.keyId, result.answer.addresses, since, false);
      });
    }
    await context.sleep(25_000 * context.random.fraction());
  }
  return [];
}

const isFinal = (result: BatchResult): boolean =>
  result.kind === "assigned"
    ? !(result.answer instanceof Rejection) || result.answer.code !== "request_in_progress"
    : result.kind === "released";

const isOver = (result: BatchResult | undefined): boolean =>
  result?.kind === "released" &&
  result.answer.results.every(({ status }) => status === "released" || status === "not_assigned");
