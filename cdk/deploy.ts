/**
 * `npm run deploy -- --env dev`: deploys one environment, and passes all other arguments to `cdk deploy`. With
 * `--region R` it deploys the stateless stack of that Region only, also while another Region is lost. It asks DynamoDB
 * for the stream of a table that no template has.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runCommand } from "./command.ts";
import { stageName } from "./environments.ts";
import { streamParameters } from "./stream-of.ts";
import { assertTableStays } from "./table-stays.ts";

const CDK = fileURLToPath(import.meta.resolve("aws-cdk/bin/cdk"));

process.exitCode = await runCommand(async (command) => {
  const { environment, stack, inOneRegion, tableName, rest } = command;
  if (!inOneRegion && tableName === undefined) await assertTableStays(command);
  const parameters = await streamParameters(command);
  const stage = stageName(environment);
  const stacks = inOneRegion
    ? [`${stage}/${stack.slice(stage.length + 1)}`, "--exclusively"]
    : [`${stage}/*`];
  const { status } = spawnSync(
    process.execPath,
    [CDK, "deploy", ...stacks, ...parameters, ...rest],
    { stdio: "inherit" },
  );
  return status ?? 1;
});
