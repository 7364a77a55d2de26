/** `npm run deploy -- --env dev`: deploys one environment; any other argument goes to `cdk deploy` as it is. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ENVIRONMENT_NAMES, isEnvironmentName, stageName } from "./environments.ts";

const CDK = fileURLToPath(import.meta.resolve("aws-cdk/bin/cdk"));

process.exitCode = deploy(process.argv.slice(2));

function deploy(args: string[]): number {
  const { tokens } = parseArgs({
    args,
    options: { env: { type: "string" } },
    strict: false,
    tokens: true,
  });
  const env = tokens.find((token) => token.kind === "option" && token.name === "env");
  if (env?.kind !== "option" || env.value === undefined || !isEnvironmentName(env.value)) {
    console.error(
      `Say which environment to deploy: --env ${ENVIRONMENT_NAMES.join(" or --env ")}.`,
    );
    return 2;
  }
  const rest = args.toSpliced(env.index, env.inlineValue ? 1 : 2);
  const { status } = spawnSync(
    process.execPath,
    [CDK, "deploy", `${stageName(env.value)}/*`, ...rest],
    { stdio: "inherit" },
  );
  return status ?? 1;
}
