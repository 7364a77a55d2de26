/** `npm run deploy -- --env dev`: deploys one environment, and passes all other arguments to `cdk deploy`. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runCommand } from "./command.ts";
import { stageName } from "./environments.ts";

const CDK = fileURLToPath(import.meta.resolve("aws-cdk/bin/cdk"));

process.exitCode = await runCommand(async ({ environment, rest }) => {
  const { status } = spawnSync(
    process.execPath,
    [CDK, "deploy", `${stageName(environment)}/*`, ...rest],
    { stdio: "inherit" },
  );
  return status ?? 1;
});
