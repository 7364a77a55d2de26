import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** A message that could not be delivered. */
export interface Message {
  readonly queueArn: string;
  readonly sentAt: string;
  readonly body: unknown;
}

/**
 * The queues of the templates. The twin delivers none of their messages; it keeps the failed events, in a file as well,
 * for operators and tests.
 */
export class Queues {
  readonly messages: Message[] = [];
  readonly file: string;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true });
    this.file = join(directory, "dead-letters.jsonl");
  }

  send(queueArn: string, body: unknown): void {
    const message = { queueArn, sentAt: new Date().toISOString(), body };
    this.messages.push(message);
    appendFileSync(this.file, `${JSON.stringify(message)}\n`);
    console.error(`An event failed and is kept in ${this.file}.`);
  }
}
