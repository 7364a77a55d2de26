import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** Returns the database file of a race. */
export const databaseIn = (directory: string) => join(directory, "plat.db");

/** The files of a SQLite database: the data and its write-ahead log. SQLite rebuilds the index of the log. */
const [FILES, INDEX] = [["", "-wal"], "-shm"];

/** Replaces a database by a copy of another, or deletes it if there is no other. No process may have either open. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  for (const end of [...FILES, INDEX]) await rm(to + end, { force: true });
  for (const end of FILES)
    await copyFile(from + end, to + end).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
}
