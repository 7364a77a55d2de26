import { POOLS_TRIED_MAX } from "../../../src/kernel/assign/find-blocks.ts";
import type { Fact, Form } from "../fact.ts";
import { triesUntilServed } from "../requests.ts";
import { minutesUntil, RECLAIM } from "../runs.ts";
import { ALL_LOOKS_FULL, NO_FULL_POOLS } from "../sabotages.ts";
import { untriedPools } from "./rejected.ts";

/**
 * Returns the facts about full pools that no request has tried. They cost the first requests calls,
 * and none after a scheduled run of the reclaimer.
 */
export const fullPoolFacts = (form: Form): readonly Fact[] =>
  (form === "full" ? [700, 1_999] : [700]).flatMap((count) => {
    const { size, set } = untriedPools(count);
    const fact = { size, unit: "tries" };
    return [
      {
        ...fact,
        name: `A host is served within one try for each ${POOLS_TRIED_MAX} full pools that nothing calls full`,
        bound: Math.ceil(count / POOLS_TRIED_MAX),
        broken: ALL_LOOKS_FULL,
        async measure(newCloud) {
          const { cloud, requests } = await set(newCloud);
          const [request] = requests;
          if (!request) throw new Error("nobody asks");
          return cloud.clock.run(() => triesUntilServed(cloud, request, TRIES_MAX));
        },
      },
      {
        ...fact,
        name: "A host is served within two tries once the reclaimer has come by full pools that nothing called full",
        bound: 2,
        broken: NO_FULL_POOLS,
        async measure(newCloud) {
          const { cloud, requests } = await set(newCloud);
          const [request] = requests;
          if (!request) throw new Error("nobody asks");
          return cloud.clock.run(async () => {
            await minutesUntil(cloud, RECLAIM, 1, () => false);
            return triesUntilServed(cloud, request, TRIES_MAX);
          });
        },
      },
    ] satisfies readonly Fact[];
  });

const TRIES_MAX = 40;
