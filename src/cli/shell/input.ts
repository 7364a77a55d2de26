import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { parseJson, RepeatedFieldError } from "../../base/json-text.ts";
import { BODY_BYTES_MAX } from "../../base/limits.ts";
import { utf8Text } from "../../base/utf8.ts";
import { usageError } from "./exit.ts";
import type { Io } from "./io.ts";

export const STDIN = "-";
/** A little below the longest text that JavaScript allows. */
const FILE_BYTES_MAX = 500_000_000;

/**
 * Reads a text file, or stdin for `-`.
 *
 * @param absent the text of a file that does not exist; without one that is an error
 * @throws CommandError if it cannot be read, is too large, or is not UTF-8
 */
export async function readInput(io: Io, file: string, absent?: string): Promise<string> {
  if (absent !== undefined && !existsSync(file)) return absent;
  if (file === STDIN) return utf8In("stdin", await buffer(io.stdin()));
  return utf8In(file, await bytesOf(file));
}

/**
 * Reads text files, of which one may be stdin.
 *
 * @returns the texts in the order of the files, each under the name of its file
 * @throws CommandError if stdin is named twice, because the second text would be empty, or if a file cannot be read
 */
export async function readInputs(
  io: Io,
  files: readonly string[],
): Promise<readonly { readonly name: string; readonly text: string }[]> {
  if (files.indexOf(STDIN) !== files.lastIndexOf(STDIN))
    throw usageError(`${STDIN} is named twice; stdin can be read once.`);
  return Promise.all(
    files.map(async (file) => ({
      name: file === STDIN ? "stdin" : file,
      text: await readInput(io, file),
    })),
  );
}

async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(file);
    if (size <= FILE_BYTES_MAX) return await readFile(file);
  } catch (error) {
    throw usageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  throw usageError(`${file} has more than ${FILE_BYTES_MAX} bytes; split it, and name each part.`);
}

/** The maximum of a line of a stream: one request can have no more. */
const LINE_BYTES_MAX = BODY_BYTES_MAX;
const LINE_FEED = 0x0a;

/**
 * Reads stdin line by line as it comes, and leaves out empty lines. It yields the whole lines of each part together, and reads the next
 * part after that.
 *
 * @throws CommandError after the lines before it, if a line is too long, or is not UTF-8
 */
export async function* linesOfStdin(io: Io): AsyncGenerator<readonly Line[]> {
  let begun = Buffer.alloc(0);
  let before = 0;
  for await (const part of io.stdin()) {
    const bytes = Buffer.concat([begun, part]);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    begun = bytes.subarray(end);
    yield* linesIn(bytes.subarray(0, end), before);
    if (begun.length > LINE_BYTES_MAX)
      throw usageError(`stdin has a line of more than ${LINE_BYTES_MAX} bytes.`);
    before += lineEndsIn(bytes.subarray(0, end));
  }
  yield* linesIn(begun, before);
}

/** A line of stdin. Its number counts from 1, and counts empty lines too. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/** Yields the lines of a part; those before one that is not UTF-8 also if it then throws. */
function* linesIn(part: Uint8Array, before: number): Generator<readonly Line[]> {
  const badAt = utf8Text(part).ok ? part.length : startOfBad(part);
  const good = utf8In("stdin", part.subarray(0, badAt)).split("\n");
  yield good
    // Also without a byte order mark, which files that were put together have in the middle.
    .map((line, at) => ({ number: before + at + 1, text: line.trim() }))
    .filter(({ text }) => text !== "");
  utf8In("stdin", part.subarray(badAt), before + good.length - 1);
}

/** Returns where the first line begins that is not UTF-8. */
function startOfBad(part: Uint8Array): number {
  for (let from = 0; ; ) {
    const end = part.indexOf(LINE_FEED, from) + 1;
    if (end === 0 || !utf8Text(part.subarray(from, end)).ok) return from;
    from = end;
  }
}

const lineEndsIn = (bytes: Uint8Array): number =>
  bytes.reduce((count, byte) => count + (byte === LINE_FEED ? 1 : 0), 0);

/** Decodes the bytes of a file. @throws CommandError with the line that is not UTF-8 */
export function utf8In(file: string, bytes: Uint8Array, linesBefore = 0): string {
  const text = utf8Text(bytes, linesBefore);
  if (text.ok) return text.value;
  throw usageError(`${file}${text.problem}`);
}

/** Parses the JSON text of a file. @throws CommandError if it is not JSON, or if an object in it has a field twice */
export function jsonIn(file: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw error instanceof RepeatedFieldError
      ? repeatedIn(file, error)
      : usageError(`${file} is not complete JSON: ${(error as Error).message}`);
  }
}

/** Makes the error of a file in which an object has a field twice. */
export const repeatedIn = (file: string, { message }: RepeatedFieldError) =>
  usageError(`${file}: ${message}.`);
