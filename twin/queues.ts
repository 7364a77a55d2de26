import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** A message that nobody could deliver. */
export interface Message {
  readonly queueArn: string;
  readonly sentAt: string;
  readonly body: unknown;
}

/** The queues of the templates. Nothing takes from them: they keep what failed for whoever looks, in a file as well. */
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
