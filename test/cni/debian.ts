import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The packages of Debian that are unpacked here and not installed. */
const UNPACKED = fileURLToPath(new URL(".debian", import.meta.url));

const run = promisify(execFile);

/** Returns the folder of the plugins `bridge`, `ptp` and `host-local`; from Debian's package if none is installed. */
export async function pluginFolder(): Promise<string> {
  const folders = ["/usr/lib/cni", "/opt/cni/bin", join(UNPACKED, "usr/lib/cni")];
  return inOneOf(folders, ["bridge", "ptp", "host-local"], "containernetworking-plugins");
}

/** Returns the path of `ping`; from Debian's package if it is not installed. */
export async function pingProgram(): Promise<string> {
  const folders = ["/usr/bin", "/bin", join(UNPACKED, "bin"), join(UNPACKED, "usr/bin")];
  return join(await inOneOf(folders, ["ping"], "iputils-ping"), "ping");
}

async function inOneOf(
  folders: readonly string[],
  programs: readonly string[],
  name: string,
): Promise<string> {
  const find = () =>
    folders.find((folder) => programs.every((program) => existsSync(join(folder, program))));
  const found = find();
  if (found) return found;
  await unpack(name);
  const unpacked = find();
  if (unpacked) return unpacked;
  throw new Error(`${name} of Debian has no ${programs.join(", ")}`);
}

/** Downloads a package as `apt-get` does, and unpacks it in this folder, so that the machine stays as it is. */
async function unpack(name: string): Promise<void> {
  await mkdir(UNPACKED, { recursive: true });
  const download = () => run("apt-get", ["download", "--quiet", name], { cwd: UNPACKED });
  try {
    // A fresh container has no lists of packages.
    await download().catch(() => run("apt-get", ["update", "--quiet"]).then(download));
  } catch (error) {
    throw new Error(
      `The lab of CNI needs the package ${name}: apt-get install ${name}. A download failed: ${(error as Error).message}`,
    );
  }
  for (const file of await readdir(UNPACKED))
    if (file.startsWith(`${name}_`)) await run("dpkg-deb", ["-x", join(UNPACKED, file), UNPACKED]);
}
