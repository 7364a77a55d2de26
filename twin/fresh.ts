import { createHash, type Hash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { EnvironmentName } from "../cdk/environments.ts";
import { makeOnce } from "../pack/made-once.ts";
import { contextFiles, type Settings, synthesise } from "./assembly.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The inputs of templates and bundles; the lock file stands for the packages. */
const SOURCES = ["cdk", "functions", "src", "package-lock.json"];
const KEPT = join(ROOT, "cdk.out", "twin");
/** The maximum age of an unused directory; no twin is expected to run for longer. */
const KEPT_MS_MAX = 7 * 86_400_000;
const HASH_CHARACTERS = 16;

/**
 * Returns the directory with the templates and the bundles of an environment, made from the current sources. Each state
 * of the sources has a directory of its own, so a stale one is never used. Directories that were not used for a week
 * are removed.
 *
 * @param settings settings of the environment in place of those of the context
 */
export async function freshAssembly(
  environment: EnvironmentName,
  settings: Settings = {},
): Promise<string> {
  const digest = await digestOf(ROOT);
  const choice = createHash("sha256").update(JSON.stringify(settings)).digest("hex");
  const name = `${environment}-${digest}-${choice.slice(0, HASH_CHARACTERS)}`;
  const directory = join(KEPT, name);
  const isMade = () => isThere(directory);
  if (!(await isMade())) {
    const bundles = join(KEPT, `bundles-${digest}`);
    await mkdir(bundles, { recursive: true });
    await makeOnce(directory, isMade, (made) => synthesise(made, environment, settings, bundles));
    await removeOld();
  }
  await utimes(directory, new Date(), new Date());
  return directory;
}

/** Returns a digest of all inputs of templates and bundles, by name and content. */
export async function digestOf(root: string, contexts = contextFiles()): Promise<string> {
  const hash = createHash("sha256");
  for (const source of [...SOURCES, ...contexts]) await add(hash, root, source);
  return hash.digest("hex").slice(0, HASH_CHARACTERS);
}

async function add(hash: Hash, root: string, path: string): Promise<void> {
  const found = await stat(join(root, path)).catch(() => undefined);
  if (found?.isDirectory()) {
    const names = (await readdir(join(root, path))).sort();
    for (const name of names) await add(hash, root, `${path}/${name}`);
  } else if (found) {
    const content = await readFile(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(KEPT)) {
    const path = join(KEPT, name);
    const { mtimeMs } = await stat(path);
    if (mtimeMs < Date.now() - KEPT_MS_MAX) await rm(path, { recursive: true });
  }
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
