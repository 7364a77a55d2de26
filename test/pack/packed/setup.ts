import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { PUBLISHED } from "../../../pack/published.ts";
import manifest from "../../../package.json" with { type: "json" };

declare module "vitest" {
  interface ProvidedContext {
    /** The path of the package, as `npm pack` makes it. */
    readonly tarball: string;
  }
}

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);

/** Builds the package once for all tests, and returns what removes it. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "plat-package-"));
  provide("tarball", await pack(folder));
  return () => rm(folder, { recursive: true });
}

/** Builds the package anew, and returns the path of its tarball. @param destination the folder for it */
export async function pack(destination: string): Promise<string> {
  await run("npm", ["run", "--silent", "build"], { cwd: ROOT });
  await mkdir(destination, { recursive: true });
  await run("npm", ["pack", `./${PUBLISHED}`, "--pack-destination", destination], { cwd: ROOT });
  return join(destination, `${manifest.name}-${manifest.version}.tgz`);
}
