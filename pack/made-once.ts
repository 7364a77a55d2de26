import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 100;

/** The calls of this process, each of which has names of its own. */
let calls = 0;

/**
 * Makes a directory that several processes may need at once: one process makes it, and the others wait. The directory is
 * filled beside its place and then renamed, so no process ever sees a part of it.
 *
 * @param isMade tells whether the directory is there, in the state that is needed; another state is replaced
 * @param fill makes the content of the directory whose path it gets
 * @throws what `fill` throws; each process that waited then tries for itself
 */
export async function makeOnce(
  directory: string,
  isMade: () => Promise<boolean>,
  fill: (temporary: string) => Promise<void>,
): Promise<void> {
  const making = `${directory}.making`;
  await mkdir(dirname(directory), { recursive: true });
  const temporary = `${directory}.${process.pid}.${calls++}`;
  // The file appears with its content: an empty one would say that its process has died.
  const own = `${temporary}.making`;
  await writeFile(own, `${process.pid}`);
  const isOurs = await link(own, making).then(
    () => true,
    () => false,
  );
  await rm(own);
  if (!isOurs) while (await isBeingMade(making)) await sleep(POLL_MS);
  try {
    if (await isMade()) return;
    await fill(temporary);
    if (await isMade()) return; // by a process that took this one for dead
    await rm(directory, { recursive: true, force: true });
    await rename(temporary, directory);
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await rm(making, { force: true });
  }
}

/** Returns true if a process is making the directory; false if that process has died. */
async function isBeingMade(making: string): Promise<boolean> {
  const pid = await readFile(making, "utf8").catch(() => "");
  try {
    return pid !== "" && process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}
