import { randomUUID } from "node:crypto";
import { lstat, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { usageError } from "./exit.ts";
import { utf8In } from "./input.ts";

/** Reads a text file that may not exist yet. @throws CommandError if it cannot be read, or is not UTF-8 */
export async function readIfThere(file: string): Promise<string | undefined> {
  const bytes = await unlessMissing(readFile(file), undefined).catch((error: Error) => {
    throw usageError(`${file} cannot be read: ${error.message}`);
  });
  return bytes && utf8In(file, bytes);
}

/**
 * Writes a file whole or not at all, so that a crash leaves the old content; it follows a symlink to its target. It
 * writes directly into anything but a regular file, such as a pipe or a device. Errors: it cannot be written.
 *
 * @param mode who may read it; by default whom the umask lets
 */
export async function writeWhole(file: string, text: string, mode?: number): Promise<void> {
  try {
    const target = await unlessMissing(realpath(file), file);
    // A symlink without a target as well, because writing follows it.
    const isOther = await unlessMissing(
      lstat(target).then((there) => !there.isFile()),
      false,
    );
    await (isOther ? writeFile(target, text, { mode }) : replace(target, text, mode));
  } catch (error) {
    throw usageError(`${file} cannot be written: ${(error as Error).message}`);
  }
}

async function replace(file: string, text: string, mode: number | undefined): Promise<void> {
  // Two containers that share a folder may have the same process id.
  const beside = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(beside, text, { mode });
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => {});
    throw error;
  }
}

/** Returns the result for a file, or a default if it does not exist. */
const unlessMissing = <Found, Missing>(
  looking: Promise<Found>,
  missing: Missing,
): Promise<Found | Missing> =>
  looking.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return missing;
    throw error;
  });
