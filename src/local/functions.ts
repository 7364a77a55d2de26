import { handler as affinities } from "../../functions/affinities.ts";
import { handler as amend } from "../../functions/amend.ts";
import { handler as assign } from "../../functions/assign.ts";
import { handler as check } from "../../functions/check.ts";
import { handler as collect } from "../../functions/collect.ts";
import { handler as config } from "../../functions/config.ts";
import { handler as health } from "../../functions/health.ts";
import { handler as jobs } from "../../functions/jobs.ts";
import { handler as namespaces } from "../../functions/namespaces.ts";
import { handler as nodes } from "../../functions/nodes.ts";
import { handler as openapi } from "../../functions/openapi.ts";
import { handler as pools } from "../../functions/pools.ts";
import { handler as read } from "../../functions/read.ts";
import { handler as reclaim } from "../../functions/reclaim.ts";
import { handler as release } from "../../functions/release.ts";
import { handler as reservations } from "../../functions/reservations.ts";
import { handler as utilization } from "../../functions/utilization.ts";
import { handler as work } from "../../functions/work.ts";
import type { Handlers } from "./server.ts";

/** The functions that AWS would run, in this process. */
export const HANDLERS: Handlers = {
  assign,
  release,
  read,
  amend,
  utilization,
  affinities,
  pools,
  reservations,
  nodes,
  namespaces,
  config,
  jobs,
  check,
  health,
  openapi,
};

export const PASSES = { reclaim, collect, work };
