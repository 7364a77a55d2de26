import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { join } from "node:path";

/** Writes the logs of functions and of the API to a file for each log group, in place of CloudWatch. */
export class Logs {
  readonly directory: string;
  readonly #files = new Map<string, WriteStream>();

  constructor(directory: string) {
    this.directory = directory;
    mkdirSync(directory, { recursive: true });
  }

  write(group: string, text: string | Buffer): void {
    const file = this.#files.get(group) ?? createWriteStream(this.fileOf(group), { flags: "a" });
    this.#files.set(group, file);
    file.write(text);
  }

  /** Returns the path of the file of a log group. */
  fileOf(group: string): string {
    return join(this.directory, `${group.replaceAll("/", "-")}.log`);
  }

  async stop(): Promise<void> {
    const ended = (file: WriteStream) => new Promise((resolve) => file.end(resolve));
    await Promise.all([...this.#files.values()].map(ended));
  }
}
