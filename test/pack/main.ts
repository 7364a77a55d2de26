import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { installPackages } from "../../pack/packages.ts";
import manifest from "../../package.json" with { type: "json" };

/** `npm run check:package`: publint and attw read the package as `npm pack` makes it, by their strict rules. */

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(HERE, "..", "..");
const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), "plat-package-"));
try {
  await installPackages(HERE);
  await run("npm", ["pack", "--pack-destination", folder], { cwd: ROOT });
  const tarball = join(folder, `plat-ipam-${manifest.version}.tgz`);
  for (const [name, ...args] of [["publint", "run", "--strict"], ["attw"]])
    await run(join(HERE, "node_modules", ".bin", name ?? ""), [...args, tarball], { cwd: folder });
  console.log("publint and attw find nothing.");
} catch (error) {
  const { stdout = "", stderr = error } = error as { stdout?: string; stderr?: string };
  console.error(`${stdout}${stderr}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
