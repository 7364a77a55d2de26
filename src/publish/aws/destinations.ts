import { setTimeout as sleep } from "node:timers/promises";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { S3Client } from "@aws-sdk/client-s3";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { Destinations } from "../publisher.ts";
import { deadLetters } from "./dead-letters.ts";
import { eventBus } from "./event-bus.ts";
import { trailBucket } from "./trail-bucket.ts";

/** The names of what a deployment publishes to, by variables of the function. */
const { EVENT_BUS = "", TRAIL_BUCKET = "", DEAD_LETTER_URL = "", HISTORY_DAYS = "" } = process.env;

/** The time for which the history of a deployment keeps an entry. */
export const HISTORY_KEPT_MS = Number(HISTORY_DAYS) * 86_400_000;

/**
 * Puts what cannot be published into the queue of dead letters. The client takes the endpoint of the Region, not that
 * of the URL, so that a variable can replace it.
 */
export const putAside = deadLetters(
  new SQSClient({ useQueueUrlAsEndpoint: false }),
  DEAD_LETTER_URL,
);

/** The bus, the bucket and the queue of a deployment. */
export const DESTINATIONS: Omit<Destinations, "history" | "store"> = {
  putEvents: eventBus({
    client: new EventBridgeClient(),
    name: EVENT_BUS,
    sleep: async (ms) => void (await sleep(ms)),
  }),
  putTrail: trailBucket(new S3Client(), TRAIL_BUCKET),
  putDeadLetter: putAside,
};
