import { appendFile, type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TrailLine } from "../publish/trail-line.ts";
import { hourOf, trailObjectsOf } from "../publish/trail-object.ts";
import { NO_SEQUENCE } from "../table/change-log.ts";

const CHUNK_BYTES = 65_536;
const NEW_LINE = 0x0a;
const SEQUENCE = /"sequence":"(\d+)"/;

/** The files of a trail: one for each hour of UTC, with a line for each change in the order of their numbers. */
export class TrailFiles {
  readonly #directory: string;
  /** The number of the last line of the files of the last batch. */
  #ends = new Map<string, string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Adds lines to the files of their hours. They are on the disk afterwards. Changes come again if the process ended
   * before they were reported as published, so lines that a file has already are left out.
   */
  async add(lines: readonly TrailLine[]): Promise<void> {
    const ends = new Map<string, string>();
    for (const hour of new Set(lines.map(hourOf)))
      ends.set(hour, this.#ends.get(hour) ?? (await endOf(this.#fileOf(hour))));
    // After a write that failed, the next call reads the ends again.
    this.#ends = new Map();
    const added = lines.filter((line) => line.sequence > (ends.get(hourOf(line)) ?? NO_SEQUENCE));
    for (const { hour, text } of trailObjectsOf(added)) {
      const file = this.#fileOf(hour);
      await mkdir(dirname(file), { recursive: true });
      await appendFile(file, text, { flush: true });
    }
    for (const line of added) ends.set(hourOf(line), line.sequence);
    this.#ends = ends;
  }

  #fileOf(hour: string): string {
    return join(this.#directory, "changes", `${hour}.jsonl`);
  }
}

/** Returns the number of the last whole line of a file. It removes the part of a line after that. */
async function endOf(path: string): Promise<string> {
  let file: FileHandle;
  try {
    file = await open(path, "r+");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return NO_SEQUENCE;
    throw error;
  }
  try {
    const { size } = await file.stat();
    const after = await afterLine(file, size);
    if (after < size) await file.truncate(after);
    const from = await afterLine(file, after - 1);
    const { buffer } = await file.read(Buffer.alloc(Math.max(after - from, 0)), { position: from });
    const [, sequence = NO_SEQUENCE] = SEQUENCE.exec(buffer.toString()) ?? [];
    return sequence;
  } finally {
    await file.close();
  }
}

/** Returns the position after the last new line before another position; 0 if there is none. */
async function afterLine(file: FileHandle, before: number): Promise<number> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let end = before; end > 0; ) {
    const position = Math.max(end - CHUNK_BYTES, 0);
    await file.read(chunk, { position, length: end - position });
    const found = chunk.subarray(0, end - position).lastIndexOf(NEW_LINE);
    if (found >= 0) return position + found + 1;
    end = position;
  }
  return 0;
}
