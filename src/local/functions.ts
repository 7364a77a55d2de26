import { affinitiesOver } from "../../functions/affinities.ts";
import { amendOver } from "../../functions/amend.ts";
import { applicationsOver } from "../../functions/applications.ts";
import { assignOver } from "../../functions/assign.ts";
import { batchOver } from "../../functions/batch.ts";
import { configureOver } from "../../functions/configure.ts";
import { netboxOver } from "../../functions/netbox.ts";
import { nodesOver } from "../../functions/nodes.ts";
import { handler as openapi } from "../../functions/openapi.ts";
import { readOver } from "../../functions/read.ts";
import { reclaimOver } from "../../functions/reclaim.ts";
import { registerOver } from "../../functions/register.ts";
import { releaseOver } from "../../functions/release.ts";
import { repairOver } from "../../functions/repair.ts";
import { surveyOver } from "../../functions/survey.ts";
import { workOver } from "../../functions/work.ts";
import { EVERY_SHARD } from "../base/hash.ts";
import { inParallel } from "../kernel/core/parallel.ts";
import type { Wiring } from "../wiring.ts";
import type { Handlers } from "./server.ts";

/** The functions that Lambda would run, in this process. */
export interface Functions {
  readonly handlers: Handlers;
  /** The scheduled runs. A run that has shards executes all of them, one after the other. */
  readonly scheduledRuns: Readonly<Record<"reclaim" | "repair" | "work", () => Promise<void>>>;
}

/** Makes all functions over one wiring. */
export const functionsOver = (wiring: Wiring): Functions => ({
  handlers: {
    assign: assignOver(wiring),
    release: releaseOver(wiring),
    batch: batchOver(wiring),
    amend: amendOver(wiring),
    affinities: affinitiesOver(wiring),
    read: readOver(wiring),
    survey: surveyOver(wiring),
    configure: configureOver(wiring),
    register: registerOver(wiring),
    applications: applicationsOver(wiring),
    nodes: nodesOver(wiring),
    openapi,
    netbox: netboxOver(wiring),
  },
  scheduledRuns: {
    reclaim: shardByShard(reclaimOver(wiring)),
    repair: shardByShard(repairOver(wiring)),
    work: workOver(wiring),
  },
});

/** Runs each shard in turn. A failed shard does not prevent the runs of the others. */
function shardByShard(run: (event: { readonly shards: readonly number[] }) => Promise<void>) {
  return async (): Promise<void> => {
    await inParallel(EVERY_SHARD, 1, (shard) => run({ shards: [shard] }));
  };
}
