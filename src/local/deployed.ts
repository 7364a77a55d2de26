import { UsageError } from "./usage-error.ts";

const FLAG = /^--deployed(=|$)/;

/** Returns true if a command line asks for the twin of a deployment: `--deployed [dev|prod]`. */
export const asksForDeployed = (args: readonly string[]): boolean =>
  args.some((arg) => FLAG.test(arg));

/** Loads the twin, which only a clone with all its packages can run. */
export async function loadTwin(): Promise<typeof import("../../twin/main.ts")> {
  if (process.platform === "win32")
    throw new UsageError("--deployed freezes processes as Lambda does: use Linux, macOS, or WSL.");
  return import("../../twin/main.ts").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new UsageError("--deployed needs the development dependencies too: run `npm ci`.");
  });
}
