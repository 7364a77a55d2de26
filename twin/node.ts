import { fileURLToPath } from "node:url";
import { installPackages } from "../pack/packages.ts";

const RUNTIME = fileURLToPath(new URL("runtime", import.meta.url));

/**
 * Returns the path of the Node.js program of Lambda's `nodejs24.x` runtime. The first call installs it.
 *
 * @throws the output of npm, if it cannot be installed
 */
export async function lambdaNode(): Promise<string> {
  await installPackages(RUNTIME);
  return `${RUNTIME}/node_modules/node/bin/node`;
}
