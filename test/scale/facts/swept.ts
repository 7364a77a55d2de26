import { EVERY_SHARD } from "../../../src/base/hash.ts";
import { SCHEDULED_RUN_MS_MAX } from "../../../src/base/limits.ts";
import { repair } from "../../../src/maintenance/repair/repair.ts";
import type { Fact, Form } from "../fact.ts";
import { LambdaFunction } from "../lambda.ts";
import { EVERY_ITEM_AGAIN } from "../sabotages.ts";
import { putAssignedSpace } from "./spaces.ts";

const RUNS_PER_HOUR = 60;
const ITEMS = 100_000_000;

/** Returns the facts that the walk reaches items that are in no index within a day. */
export function sweptFacts(form: Form): readonly Fact[] {
  const addresses = form === "full" ? 16_777_216 : 16_384;
  return [
    {
      name: "The whole table comes by once a day at a hundred million items",
      size: `reckoned from one run over one of ${EVERY_SHARD.length} segments of ${addresses} allocations`,
      bound: 24,
      unit: "hours",
      broken: EVERY_ITEM_AGAIN,
      async measure(newCloud) {
        const cloud = await newCloud();
        putAssignedSpace(cloud.items, "default", "10.0.0.0/8", addresses);
        const { ms } = await cloud.clock.run(() =>
          new LambdaFunction(cloud).run((context) => repair(context, 0)),
        );
        const inARun = (cloud.table.scanned / ms) * SCHEDULED_RUN_MS_MAX;
        return ITEMS / (inARun * EVERY_SHARD.length * RUNS_PER_HOUR);
      },
    },
  ];
}
