import { readFile, rename, writeFile } from "node:fs/promises";
import { usageError } from "./exit.ts";

/** The text of a file that need not be there yet. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw usageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Writes a file whole or not at all, so that whoever is cut off leaves the one before. Errors: it cannot be written. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const beside = `${file}.${process.pid}.new`;
  try {
    await writeFile(beside, text);
    await rename(beside, file);
  } catch (error) {
    throw usageError(`${file} cannot be written: ${(error as Error).message}`);
  }
}
