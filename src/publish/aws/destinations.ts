import { setTimeout as sleep } from "node:timers/promises";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { S3Client } from "@aws-sdk/client-s3";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { Destinations } from "../publisher.ts";
import { deadLetters } from "./dead-letters.ts";
import { eventBus } from "./event-bus.ts";
import { trailBucket } from "./trail-bucket.ts";

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
