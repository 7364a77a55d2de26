import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const BINARY = fileURLToPath(new URL("runtime/node_modules/node/bin/node", import.meta.url));

/**
 * Returns the path of the Node.js program of Lambda's `nodejs24.x` runtime.
 *
 * @throws if it is not installed, with the command that installs it
 */
export function lambdaNode(): string {
  if (existsSync(BINARY)) return BINARY;
  throw new Error(
    "Node.js 24, which Lambda runs, is not installed; run `npm ci --prefix twin/runtime`.",
  );
}
