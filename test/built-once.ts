import { createHash } from "node:crypto";
import { mkdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { makeOnce } from "../pack/made-once.ts";
import { run, StepFailed } from "./openapi/tools.ts";

/** The folder of what tests build or install once, for all clones of the project. */
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "plat");

/**
 * Makes a folder of the cache, unless it is there, and returns its path.
 *
 * @param name what the folder has; `madeOf` tells its versions apart
 * @param file a file of it that exists once it is made
 * @param fill makes the content of the folder whose path it gets
 */
export async function cached(
  name: string,
  madeOf: string,
  file: string,
  fill: (temporary: string) => Promise<unknown>,
): Promise<string> {
  const version = createHash("sha256").update(madeOf).digest("hex").slice(0, 16);
  const folder = join(CACHE, `${name}-${version}`);
  const isMade = () =>
    stat(join(folder, file)).then(
      () => true,
      () => false,
    );
  await makeOnce(folder, isMade, async (temporary) => {
    await fill(temporary);
  });
  return folder;
}

/** Runs Go in a folder, and returns what it printed. @throws {StepFailed} if it fails, or is not there */
export const go = (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  run("go", args, { cwd, env: { GOFLAGS: "-buildvcs=false", ...env } }).catch((error: Error) => {
    throw error instanceof StepFailed
      ? error
      : new StepFailed(`There is no Go: ${error.message}. Go 1.26 or later is needed.`);
  });

/** A program of Go that a wrapper module pins. */
export interface GoProgram {
  /** The name of its folder in the cache. */
  readonly name: string;
  /** The name of its file. */
  readonly program: string;
  /** The folder of the module, with `go.mod` and `go.sum`. */
  readonly module: string;
  /** The path of its package. */
  readonly package: string;
  readonly flags: readonly string[];
}

/**
 * Returns the path of a program. It is built once, which can take many minutes, and kept by what it is made of: its
 * module, its flags and the version of Go.
 */
export async function goProgram({
  name,
  program,
  module,
  flags,
  ...of
}: GoProgram): Promise<string> {
  const modules = ["go.mod", "go.sum"].map((file) => readFile(join(module, file), "utf8"));
  const madeOf = [await go(module, ["version"]), ...(await Promise.all(modules)), ...flags];
  const folder = await cached(name, madeOf.join(" "), program, async (temporary) => {
    await mkdir(temporary, { recursive: true });
    const build = ["build", ...flags, "-o", join(temporary, program), of.package];
    await go(module, build, { CGO_ENABLED: "0" });
  });
  return join(folder, program);
}
