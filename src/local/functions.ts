import { handler as affinities } from "../../functions/affinities.ts";
import { handler as amend } from "../../functions/amend.ts";
import { handler as applications } from "../../functions/applications.ts";
import { handler as assign } from "../../functions/assign.ts";
import { handler as batch } from "../../functions/batch.ts";
import { handler as configure } from "../../functions/configure.ts";
import { handler as netbox } from "../../functions/netbox.ts";
import { handler as nodes } from "../../functions/nodes.ts";
import { handler as openapi } from "../../functions/openapi.ts";
import { handler as read } from "../../functions/read.ts";
import { handler as reclaim } from "../../functions/reclaim.ts";
import { handler as register } from "../../functions/register.ts";
import { handler as release } from "../../functions/release.ts";
import { handler as repair } from "../../functions/repair.ts";
import { handler as survey } from "../../functions/survey.ts";
import { handler as work } from "../../functions/work.ts";
import { inParallel } from "../allocator/core/parallel.ts";
import { EVERY_SHARD } from "../domain/shard.ts";
import type { Handlers } from "./server.ts";

/** The functions that Lambda would run, in this process. */
export const HANDLERS: Handlers = {
  assign,
  release,
  batch,
  amend,
  affinities,
  read,
  survey,
  configure,
  register,
  applications,
  nodes,
  openapi,
  netbox,
};

/** The scheduled runs. A run that has shards executes all of them, one after the other. */
export const SCHEDULED_RUNS = {
  reclaim: shardByShard(reclaim),
  repair: shardByShard(repair),
  work,
};

/** Runs each shard in turn. A failed shard does not prevent the runs of the others. */
function shardByShard(run: (event: { readonly shard: number }) => Promise<void>) {
  return async (): Promise<void> => {
    await inParallel(EVERY_SHARD, 1, (shard) => run({ shard }));
  };
}
