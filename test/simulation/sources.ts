import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const ROOT = new URL("../../", import.meta.url);

/** One text for all that a run depends on: of other sources, other runs. What only reads a tally is not among them. */
export function digestOfSources(): string {
  const { metafile } = buildSync({
    absWorkingDir: fileURLToPath(ROOT),
    entryPoints: ["test/simulation/worker.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    write: false,
    metafile: true,
  });
  const hash = createHash("sha256");
  for (const name of Object.keys(metafile.inputs).sort())
    hash.update(`${name}\n`).update(readFileSync(new URL(name, ROOT)));
  return hash.digest("hex");
}

export function commitOf(): string {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}
