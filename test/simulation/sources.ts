import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url);
const FOLDERS = ["src", "test/simulation"];

/** One text for all that a run depends on: of other sources, other runs. */
export function digestOfSources(): string {
  const hash = createHash("sha256");
  for (const folder of FOLDERS) {
    const names = readdirSync(new URL(folder, ROOT), { recursive: true, encoding: "utf8" });
    for (const name of names.filter((one) => one.endsWith(".ts")).sort())
      hash.update(`${folder}/${name}\n`).update(readFileSync(new URL(`${folder}/${name}`, ROOT)));
  }
  return hash.digest("hex");
}

export function commitOf(): string {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}
