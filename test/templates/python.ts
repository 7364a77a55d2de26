import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const REQUIREMENTS = fileURLToPath(new URL("requirements.txt", import.meta.url));
const CACHE = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
const PYTHON = process.env.PYTHON ?? "python3";
const MISSING =
  "these tests need Python 3.10 or later with venv and pip: install it (Debian: python3-venv), or set PYTHON to its path";

/**
 * Returns the path of a program that the requirements install, such as `cfn-lint`.
 *
 * @throws if the environment does not exist; `makeEnvironment` makes it
 */
export function pythonProgram(name: string): string {
  const program = join(environment(), "bin", name);
  if (!existsSync(program)) throw new Error(`${program} is not there: run npm run test:templates`);
  return program;
}

/**
 * Makes the virtual environment with the pinned packages, unless it exists.
 *
 * @throws with the action to take if Python is missing or too old
 */
export function makeEnvironment(): void {
  const directory = environment();
  const complete = join(directory, "complete");
  if (existsSync(complete)) return;
  const oldEnough = ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"];
  if (spawnSync(PYTHON, oldEnough).status !== 0) throw new Error(MISSING);
  rmSync(directory, { recursive: true, force: true });
  run(PYTHON, ["-m", "venv", directory]);
  run(join(directory, "bin", "pip"), [
    "install",
    "--quiet",
    "--no-compile",
    "--requirement",
    REQUIREMENTS,
  ]);
  writeFileSync(complete, "");
}

/** Returns the directory of the environment. Each state of the requirements has its own. */
function environment(): string {
  const state = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex").slice(0, 12);
  return join(CACHE, `plat-python-${state}`);
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return;
  throw new Error(`${program} ${args.join(" ")} failed: ${error?.message ?? stderr}\n${MISSING}`);
}
