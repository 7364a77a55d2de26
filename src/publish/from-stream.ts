import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
} from "aws-lambda";
import { orFailed } from "../api/events/scheduled-run.ts";
import { logger } from "../api/http/logger.ts";
import type { ItemChange } from "../table/change-log.ts";
import { itemChangeOf } from "../table/streamed-change.ts";
import type { Published } from "./publisher.ts";

/** Publishes a batch of changes. */
type Publish = (changes: readonly ItemChange[]) => Promise<Published>;

/** Puts something that cannot be published where a person finds it. */
type PutAside = (unreadable: DynamoDBRecord, error: unknown) => Promise<void>;

/**
 * Makes the handler of the table's stream. A record that is no change of an item is put aside, and
 * does not hold up those after it.
 *
 * The answer names the first change that must come again. Lambda then repeats the batch from there,
 * so no change overtakes an earlier one
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html).
 */
export function fromStream(publish: Publish, putAside: PutAside) {
  return (
    event: DynamoDBStreamEvent,
    { awsRequestId = "publish" }: Partial<Pick<Context, "awsRequestId">> = {},
  ): Promise<DynamoDBBatchResponse> =>
    orFailed({ requestId: awsRequestId }, async () => {
      const changes = await readable(event.Records, putAside);
      const { failed, ...done } = await publish(changes);
      if (failed === undefined) logger.info("published", done);
      else logger.warn("published", { ...done, failed });
      return { batchItemFailures: failed === undefined ? [] : [{ itemIdentifier: plain(failed) }] };
    });
}

async function readable(
  streamed: readonly DynamoDBRecord[],
  putAside: PutAside,
): Promise<readonly ItemChange[]> {
  const changes: ItemChange[] = [];
  for (const each of streamed)
    try {
      changes.push(itemChangeOf(each));
    } catch (error) {
      await putAside(each, error);
    }
  return changes;
}

/** Returns a number of the stream as the stream has it. */
const plain = (padded: string): string => padded.replace(/^0+/, "");
