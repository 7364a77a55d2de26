import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { type Random, randomBelow } from "../../src/kernel/values/fresh.ts";

type Handler = (event: SQSEvent) => Promise<SQSBatchResponse>;

interface Waiting {
  readonly record: SQSRecord;
  isLate: boolean;
  failures: number;
}

const BATCH_MESSAGES = 10;
/** How many messages at most overtake one that is late. */
const OVERTAKEN_BY_MAX = 40;
const SHARE_TWICE = 0.1;
const SHARE_LATE = 0.1;
/** SQS gives a message up after this many failures. */
const RECEIVED_MAX = 5;

/** A standard queue of SQS: some messages come twice, some late, and failed ones again. */
export class Queue {
  readonly #random: Random;
  readonly #handler: Handler;
  readonly #space: string;
  readonly #messages: Waiting[] = [];
  #sent = 0;
  /** Messages that failed too often. */
  readonly dead: string[] = [];

  constructor(random: Random, space: string, handler: Handler) {
    this.#random = random;
    this.#space = space;
    this.#handler = handler;
  }

  get length(): number {
    return this.#messages.length;
  }

  send(event: object): void {
    const body = JSON.stringify(event);
    const copies = this.#random.fraction() < SHARE_TWICE ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const record = {
        messageId: `message-${this.#sent++}`,
        body,
        messageAttributes: { space: { dataType: "String", stringValue: this.#space } },
      } as unknown as SQSRecord;
      this.#messages.push({ record, isLate: this.#random.fraction() < SHARE_LATE, failures: 0 });
    }
  }

  /** Delivers the next messages at once, of which some are late. */
  async deliver(): Promise<void> {
    const batch: Waiting[] = [];
    while (batch.length < BATCH_MESSAGES) {
      const message = this.#messages.shift();
      if (!message) break;
      if (message.isLate) this.#putBack(message);
      else batch.push(message);
    }
    const { batchItemFailures } = await this.#handler({
      Records: batch.map(({ record }) => record),
    });
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const message of batch.filter(({ record }) => failed.has(record.messageId))) {
      if (++message.failures === RECEIVED_MAX) this.dead.push(message.record.body);
      else this.#putBack(message);
    }
  }

  #putBack(message: Waiting): void {
    message.isLate = false;
    this.#messages.splice(1 + randomBelow(OVERTAKEN_BY_MAX, this.#random), 0, message);
  }
}
