import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";

const ROOT = new URL("../../", import.meta.url);
const WORKER = {
  absWorkingDir: fileURLToPath(ROOT),
  entryPoints: ["test/simulation/worker.ts"],
  bundle: true,
  platform: "node",
  format: "esm",
} as const satisfies BuildOptions;

/**
 * Returns the digest of all sources that a run depends on. A change of them changes the runs.
 * Sources that only read a tally are left out.
 */
export function digestOfSources(): string {
  const { metafile } = buildSync({ ...WORKER, packages: "external", write: false, metafile: true });
  const hash = createHash("sha256");
  for (const name of Object.keys(metafile.inputs).sort())
    hash.update(`${name}\n`).update(readFileSync(new URL(name, ROOT)));
  return hash.digest("hex");
}

/**
 * Compiles the worker into a folder of its own. The runs are the same as those of the sources, and
 * take less time. The loader of the sources names every function again whenever the code makes it.
 */
export function compiledWorker(): { readonly script: URL; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "plat-simulation-"));
  buildSync({
    ...WORKER,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    // Modules that are imported on demand stay modules, because they would run slower as functions.
    splitting: true,
    sourcemap: true,
    logLevel: "warning",
  });
  return {
    script: pathToFileURL(join(folder, "worker.mjs")),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

export function commitOf(): string {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}
