import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { makeOnce } from "./made-once.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The files of a package that `npm ci` reads. */
const READ_BY_NPM = ["package.json", "package-lock.json", ".npmrc"];
/** The copy of the lock file beside the packages that it names. */
const INSTALLED = "installed.json";

const run = promisify(execFile);

/**
 * Installs the packages of a folder with a lock file of its own, unless they are there. A folder has its own packages if
 * few people run what needs them, so that `npm ci` of the project leaves them out. Processes may ask at the same time.
 *
 * @param folder the absolute path of the folder
 * @throws the output of npm, if it fails
 */
export async function installPackages(folder: string): Promise<void> {
  const wanted = await readFile(join(folder, "package-lock.json"), "utf8");
  const modules = join(folder, "node_modules");
  const isInstalled = async () =>
    (await readFile(join(modules, INSTALLED), "utf8").catch(() => undefined)) === wanted;
  if (await isInstalled()) return;
  await makeOnce(modules, isInstalled, async (temporary) => {
    console.error(`Installing the packages of ${relative(ROOT, folder)} ...`);
    const place = `${temporary}.npm`;
    try {
      await mkdir(place);
      for (const file of READ_BY_NPM) await copyFile(join(folder, file), join(place, file));
      await run("npm", ["ci", "--prefix", place]);
      await copyFile(join(place, "package-lock.json"), join(place, "node_modules", INSTALLED));
      await rename(join(place, "node_modules"), temporary);
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  });
}

/**
 * Installs the packages of a folder, and checks the types of the sources that import them. `npm run typecheck` leaves
 * these sources out, because it must work before their packages are there.
 *
 * @throws the output of npm or of the compiler, if one fails
 */
export async function prepareTools(folder: string): Promise<void> {
  await installPackages(folder);
  await run(join(ROOT, "node_modules", ".bin", "tsc"), ["--noEmit", "-p", folder]).catch(
    (error) => {
      throw new Error(error.stdout || error.message);
    },
  );
}
