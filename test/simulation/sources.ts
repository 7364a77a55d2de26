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

/** One text for all that a run depends on: of other sources, other runs. What only reads a tally is not among them. */
export function digestOfSources(): string {
  const { metafile } = buildSync({ ...WORKER, packages: "external", write: false, metafile: true });
  const hash = createHash("sha256");
  for (const name of Object.keys(metafile.inputs).sort())
    hash.update(`${name}\n`).update(readFileSync(new URL(name, ROOT)));
  return hash.digest("hex");
}

/**
 * Compiles the worker into a folder of its own. The runs are the same as those of its sources, and take less time: the
 * loader of the sources gives every function its name again whenever it is made.
 */
export function compiledWorker(): { readonly script: URL; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "plat-simulation-"));
  buildSync({
    ...WORKER,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    // Modules that are imported when they are needed stay modules: as functions they would run slower.
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
