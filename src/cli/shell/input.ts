import { readFile, stat } from "node:fs/promises";
import { usageError } from "./exit.ts";
import type { Io } from "./io.ts";

const STDIN = "-";
/** A little below the longest text that JavaScript allows. */
const FILE_BYTES_MAX = 500_000_000;

/**
 * Reads a file, or stdin for `-`.
 *
 * @throws CommandError if it cannot be read or is too large
 */
export async function readInput(io: Io, file: string): Promise<string> {
  if (file === STDIN) return io.stdin();
  try {
    const { size } = await stat(file);
    if (size <= FILE_BYTES_MAX) return await readFile(file, "utf8");
  } catch (error) {
    throw usageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  throw usageError(`${file} has more than ${FILE_BYTES_MAX} bytes; split it, and name each part.`);
}
