import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { errorLine } from "../../api/http/error-line.ts";
import type { Destinations } from "../publisher.ts";
import type { TrailLine } from "../trail-line.ts";
import { trailObjectsOf } from "../trail-object.ts";
import { eventBus } from "./event-bus.ts";

/**
 * Returns the bus, the bucket and the queue of dead letters that the environment names. The client of the queue takes the endpoint of
 * the Region, not that of the URL, so that a variable can replace it.
 */
export function destinationsOfEnvironment() {
  const { EVENT_BUS = "", TRAIL_BUCKET = "", DEAD_LETTER_URL = "" } = process.env;
  return {
    putEvents: eventBus({
      client: new EventBridgeClient(),
      name: EVENT_BUS,
      sleep: async (ms) => void (await sleep(ms)),
    }),
    putTrail: trailBucket(new S3Client(), TRAIL_BUCKET),
    putDeadLetter: deadLetters(new SQSClient({ useQueueUrlAsEndpoint: false }), DEAD_LETTER_URL),
  } satisfies Partial<Destinations>;
}

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
    // A number beyond the safe integers comes as a bigint, which JSON does not have.
    if (typeof value === "bigint") return String(value);
    return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
  });

const compressed = promisify(gzip);

/** Returns what writes lines to a bucket, as compressed JSON lines, which Athena reads by the name's end. */
export function trailBucket(
  client: Pick<S3Client, "send">,
  Bucket: string,
): (lines: readonly TrailLine[]) => Promise<void> {
  return async (lines) => {
    for (const { hour, name, text } of trailObjectsOf(lines))
      await client.send(
        new PutObjectCommand({
          Bucket,
          Key: `changes/${hour}/${name}.jsonl.gz`,
          Body: await compressed(text),
          ContentType: "application/gzip",
        }),
      );
  };
}
