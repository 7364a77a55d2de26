import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { DeployedEventSource, Deployment } from "./deployment.ts";
import { decide } from "./iam.ts";
import type { Lambda } from "./lambda.ts";
import type { Queues } from "./queues.ts";

/** A message of a caller: its body, and its attributes, which are texts. */
export interface SentMessage {
  readonly body: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

interface Waiting {
  readonly record: object & { readonly messageId: string };
  receives: number;
}

const POLL_MS = 100;

/** The acts of Lambda's poller on the messages of a queue, as the role of the function. */
const RECEIVING = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"] as const;

/**
 * Plays Lambda's pollers of queues. A batch goes to the function, and what it names as failed comes again at once, because nobody
 * waits here for the visibility of a message. What failed too often goes to the queue of dead letters
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html).
 */
export class EventSources {
  /** True while messages wait in their queues. */
  isOff = false;
  readonly #deployment: Deployment;
  readonly #lambda: Lambda;
  readonly #queues: Queues;

  constructor(deployment: Deployment, lambda: Lambda, queues: Queues) {
    this.#deployment = deployment;
    this.#lambda = lambda;
    this.#queues = queues;
  }

  /** Sends messages to a queue. Resolves when each is done, or a dead letter. @throws if no function receives from the queue */
  async send(queueArn: string, messages: readonly SentMessage[]): Promise<void> {
    const source = this.#deployment.eventSources.find((each) => each.queueArn === queueArn);
    if (!source) throw new Error(`no function receives from ${queueArn}`);
    this.#assertMayReceive(source);
    const waiting = messages.map((message) => ({
      record: asReceived(queueArn, message),
      receives: 0,
    }));
    while (this.isOff) await sleep(POLL_MS);
    while (waiting.length > 0) {
      const batch = waiting.splice(0, source.batchSize);
      const failed = await this.#deliver(source, batch);
      for (const message of batch.filter(({ record }) => failed.has(record.messageId))) {
        if (message.receives < source.receivesMax) waiting.push(message);
        else if (source.deadLetterArn !== undefined)
          this.#queues.send(source.deadLetterArn, message.record);
      }
    }
  }

  /** Delivers a batch, and returns the ids of the messages that failed: all of them if the function failed as a whole. */
  async #deliver(
    { functionArn }: DeployedEventSource,
    batch: readonly Waiting[],
  ): Promise<ReadonlySet<string>> {
    for (const message of batch) message.receives++;
    const payload = JSON.stringify({ Records: batch.map(({ record }) => record) });
    const outcome = await this.#lambda.invoke(functionArn, payload);
    if (typeof outcome !== "object" || !("payload" in outcome))
      return new Set(batch.map(({ record }) => record.messageId));
    const { batchItemFailures = [] } = JSON.parse(outcome.payload) ?? {};
    return new Set(
      batchItemFailures.map(({ itemIdentifier }: { itemIdentifier: string }) => itemIdentifier),
    );
  }

  #assertMayReceive({ functionName, queueArn }: DeployedEventSource): void {
    const role = this.#deployment.functions.find(({ name }) => name === functionName)?.role;
    for (const action of RECEIVING)
      if (decide(role?.statements ?? [], { action, resource: queueArn }) !== "allowed")
        throw new Error(`${role?.arn} lacks ${action} on ${queueArn}`);
  }
}

/** https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event */
const asReceived = (queueArn: string, { body, attributes = {} }: SentMessage) => ({
  messageId: randomUUID(),
  receiptHandle: randomUUID(),
  body,
  attributes: { SentTimestamp: String(Date.now()) },
  messageAttributes: Object.fromEntries(
    Object.entries(attributes).map(([name, stringValue]) => [
      name,
      { stringValue, dataType: "String", stringListValues: [], binaryListValues: [] },
    ]),
  ),
  eventSource: "aws:sqs",
  eventSourceARN: queueArn,
});
