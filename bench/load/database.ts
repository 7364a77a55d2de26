import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** Where a race has its database. */
export const databaseIn = (directory: string) => join(directory, "plat.db");

/** A database of SQLite is this file, and what is not yet in it; the index of that is made anew. */
const [FILES, INDEX] = [["", "-wal"], "-shm"];

/** Puts a copy of a database, or that there is none, in the place of another. Nobody has either open. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  for (const end of [...FILES, INDEX]) await rm(to + end, { force: true });
  for (const end of FILES)
    await copyFile(from + end, to + end).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
}
