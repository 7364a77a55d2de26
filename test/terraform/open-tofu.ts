import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeOnce } from "../../pack/made-once.ts";
import { run, StepFailed } from "../openapi/tools.ts";

const TOFU = fileURLToPath(new URL("tofu", import.meta.url));

/** The folder of what tests build or install once, for all clones of the project. */
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "plat");

/** Lines that say how OpenTofu is built: a release, without its own symbols. */
const TOFU_FLAGS = ["-trimpath", "-ldflags=-s -w -X github.com/opentofu/opentofu/version.dev=no"];

/** Runs Go in a folder. */
export const go = (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  run("go", args, { cwd, env: { GOFLAGS: "-buildvcs=false", ...env } }).catch((error: Error) => {
    throw error instanceof StepFailed
      ? error
      : new StepFailed(`There is no Go: ${error.message}. Go 1.26 or later is needed.`);
  });

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

/** Returns the binary to test with: the named one, or OpenTofu as its wrapper module pins it. */
export async function openTofu(): Promise<string> {
  if (process.env.PLAT_TERRAFORM) return process.env.PLAT_TERRAFORM;
  const modules = ["go.mod", "go.sum"].map((file) => readFile(join(TOFU, file), "utf8"));
  const madeOf = [await run("go", ["version"], { cwd: TOFU }), ...(await Promise.all(modules))];
  const folder = await cached(
    "opentofu",
    madeOf.concat(TOFU_FLAGS).join(" "),
    "tofu",
    (temporary) => {
      const output = join(temporary, "tofu");
      const build = ["build", ...TOFU_FLAGS, "-o", output, "github.com/opentofu/opentofu/cmd/tofu"];
      return go(TOFU, build, { CGO_ENABLED: "0" });
    },
  );
  return join(folder, "tofu");
}
