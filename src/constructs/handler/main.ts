import { setTimeout } from "node:timers/promises";
import type { CloudFormationCustomResourceHandler } from "aws-lambda";
import { platClient } from "../../client/index.ts";
import { lifeCycle } from "./life-cycle.ts";
import { respond } from "./respond.ts";

/** The time that a response needs at most, before Lambda ends the function. */
const RESPONSE_MS = 30_000;

/** Carries out an event of a custom resource of `plat-ipam/cdk`, and tells CloudFormation the outcome. */
export const handler: CloudFormationCustomResourceHandler = async (event, context) => {
  const outcome = await lifeCycle(event, ({ Endpoint = "", Region, Space }) => ({
    plat: platClient({ endpoint: Endpoint, region: Region, space: Space }),
    now: Date.now,
    sleep: (ms) => setTimeout(ms),
    remainingMs: () => context.getRemainingTimeInMillis() - RESPONSE_MS,
  }));
  const { physicalId, failure } = outcome;
  const { RequestType, RequestId } = event;
  console.log(JSON.stringify({ RequestType, RequestId, physicalId, failure }));
  await respond(event, outcome);
};
