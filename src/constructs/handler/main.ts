import { setTimeout } from "node:timers/promises";
import type {
  CloudFormationCustomResourceEvent,
  CloudFormationCustomResourceHandler,
} from "aws-lambda";
import pRetry from "p-retry";
import { platClient } from "../../client/index.ts";
import { type EventOutcome, lifeCycle } from "./life-cycle.ts";

/** The time that a response needs at most, before Lambda ends the function. */
const RESPONSE_MS = 30_000;
/** CloudFormation rejects a longer answer than 4,096 bytes, and the reason is the only part without a limit. */
const REASON_CHARACTERS_MAX = 1_000;
const RETRIES = 5;

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

/**
 * Sends the outcome of an event to CloudFormation
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html).
 *
 * @throws if the answer does not arrive; Lambda then calls the function again with the event
 */
async function respond(
  { ResponseURL, StackId, RequestId, LogicalResourceId }: CloudFormationCustomResourceEvent,
  { physicalId, data, failure }: EventOutcome,
): Promise<void> {
  const body = JSON.stringify({
    Status: failure === undefined ? "SUCCESS" : "FAILED",
    ...(failure !== undefined && { Reason: failure.slice(0, REASON_CHARACTERS_MAX) }),
    PhysicalResourceId: physicalId,
    StackId,
    RequestId,
    LogicalResourceId,
    ...(data && { Data: data }),
  });
  await pRetry(
    async () => {
      // The URL is signed for no content type.
      const { status } = await fetch(ResponseURL, {
        method: "PUT",
        body,
        headers: { "content-type": "" },
      });
      if (status >= 300) throw new Error(`CloudFormation's bucket answers ${status}.`);
    },
    { retries: RETRIES },
  );
}
