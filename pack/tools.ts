import { resolve } from "node:path";
import { prepareTools } from "./packages.ts";

/** `node --import tsx pack/tools.ts FOLDER`: makes the tools of a folder ready, for the script that needs them. */
try {
  await prepareTools(resolve(process.argv[2] ?? ""));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
