import { readFile, stat } from "node:fs/promises";
import { textOf } from "../../base/utf8.ts";
import { usageError } from "./exit.ts";
import type { Io } from "./io.ts";

const STDIN = "-";
/** A little below the longest text that JavaScript allows. */
const FILE_BYTES_MAX = 500_000_000;

/**
 * Reads a text file, or stdin for `-`.
 *
 * @throws CommandError if it cannot be read, is too large, or is not UTF-8
 */
export async function readInput(io: Io, file: string): Promise<string> {
  if (file === STDIN) return utf8In("stdin", await io.stdin());
  return utf8In(file, await bytesOf(file));
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

/** Decodes the bytes of a file. @throws CommandError with the line that is not UTF-8 */
export function utf8In(file: string, bytes: Uint8Array): string {
  const text = textOf(bytes);
  if (text.ok) return text.value;
  throw usageError(`${file}${text.problem}`);
}
