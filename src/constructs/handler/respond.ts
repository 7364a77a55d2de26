import type { CloudFormationCustomResourceEvent } from "aws-lambda";
import pRetry from "p-retry";
import type { EventOutcome } from "./life-cycle.ts";

/** CloudFormation rejects a longer answer than 4,096 bytes, and the reason is the only part without a limit. */
const REASON_CHARACTERS_MAX = 1_000;
const RETRIES = 5;

/**
 * Sends the outcome of an event to CloudFormation
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html).
 *
 * @throws if the answer does not arrive; Lambda then calls the function again with the event
 */
export async function respond(
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
