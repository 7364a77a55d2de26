import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { errorLine } from "../../edge/http/error-line.ts";

/** Below the bytes of a message in every Region (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html). */
const MESSAGE_BYTES_MAX = 262_144;

/** A change that cannot be published, with what is left of it. */
type Unpublished = object & { readonly before?: unknown; readonly after?: unknown };

/**
 * Returns what puts a change aside into a queue, with the reason. Of a change that is too large for
 * a message, the items are left out; its key finds them in the table.
 */
export function deadLetters(
  client: Pick<SQSClient, "send">,
  QueueUrl: string,
): (unpublished: Unpublished, error: unknown) => Promise<void> {
  return async (unpublished, error) => {
    const whole = bodyOf(unpublished, error);
    const { before: _, after: __, ...rest } = unpublished;
    const MessageBody = Buffer.byteLength(whole) <= MESSAGE_BYTES_MAX ? whole : bodyOf(rest, error);
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  };
}

const bodyOf = (unpublished: object, error: unknown): string =>
  JSON.stringify({ ...unpublished, error: errorLine(error) }, (_, value) => {
    if (value instanceof Set) return [...value];
    return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
  });
