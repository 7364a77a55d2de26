import "../src/local/environment.ts";
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { UsageError } from "../src/local/usage-error.ts";
import { contextKey, readDeployment } from "./deployment.ts";
import {
  ENVIRONMENT_NAMES,
  type EnvironmentName,
  isEnvironmentName,
  stackId,
  stageName,
} from "./environments.ts";
import { servingRegions } from "./regions.ts";

/** The action of a deployment command, and its environment. */
interface Command {
  readonly environment: EnvironmentName;
  readonly account: string;
  /** The Region that the command names, or else that of the environment. */
  readonly region: string;
  /** The Region of the environment, which has the stateful stack. */
  readonly home: string;
  readonly hasRegions: boolean;
  /** The Region whose schedules run, and that publishes. */
  readonly active: string;
  /** The existing table that the environment uses, if it has no table of its own. */
  readonly tableName: string | undefined;
  /** The stateless stack of the Region. */
  readonly stack: string;
  /** True if the command names a Region, and so acts there only. */
  readonly inOneRegion: boolean;
  readonly profile: string | undefined;
  /** All arguments but `--env` and `--region`. */
  readonly rest: readonly string[];
}

/** The files in the CDK's order. The command line overrides both; the files are those of the current directory. */
const CONTEXT_FILES = ["cdk.json", "cdk.context.json"];

/**
 * Reads `--env`, `--region`, `--profile` and the context of the environment from the command line and the files of the CDK.
 *
 * @throws {UsageError} if the environment, or its account and Region, is not named, or if it does not serve in the Region
 */
function readCommand(args: readonly string[]): Command {
  const { tokens, values } = parseArgs({
    args: [...args],
    options: {
      env: { type: "string" },
      region: { type: "string" },
      profile: { type: "string" },
      context: { type: "string", short: "c", multiple: true },
    },
    strict: false,
    tokens: true,
  });
  const options = tokens.filter((token) => token.kind === "option");
  const optionOf = (name: string) => options.find((option) => option.name === name);
  const [env, inRegion] = [optionOf("env"), optionOf("region")];
  const environment = env?.value;
  if (environment === undefined || !isEnvironmentName(environment))
    throw new UsageError(`Say which environment: --env ${ENVIRONMENT_NAMES.join(" or --env ")}.`);
  const key = contextKey(environment);
  const named = (values.context ?? []).map(String).find((entry) => entry.startsWith(`${key}=`));
  const { account, region, regions, tableName } = readDeployment(
    environment,
    named === undefined ? contextInFiles(key) : named.slice(key.length + 1),
  );
  if (!account || !region)
    throw new UsageError(
      `No account and Region are named for ${environment}: put "${key}": {"account": "123456789012", "region": "eu-central-1"} with yours into cdk.context.json.`,
    );
  const wanted = inRegion?.value;
  const serving = servingRegions(region, regions ?? { replicas: [] });
  if (wanted !== undefined && !serving.includes(wanted))
    throw new UsageError(
      `--region is "${wanted}"; ${environment} serves in ${serving.join(", ")}.`,
    );
  return {
    environment,
    account,
    region: wanted ?? region,
    home: region,
    hasRegions: regions !== undefined,
    active: regions?.active ?? region,
    tableName,
    stack: `${stageName(environment)}-${stackId("stateless", wanted ?? region, region)}`,
    inOneRegion: wanted !== undefined,
    profile: typeof values.profile === "string" ? values.profile : undefined,
    rest: without(args, [env, inRegion]),
  };
}

interface Option {
  readonly index: number;
  readonly inlineValue?: boolean | undefined;
}

/** Returns the arguments without some options and their values. */
function without(args: readonly string[], options: readonly (Option | undefined)[]): string[] {
  const dropped = new Set(
    options.flatMap((option) => {
      if (!option) return [];
      return option.inlineValue ? [option.index] : [option.index, option.index + 1];
    }),
  );
  return args.filter((_, index) => !dropped.has(index));
}

/**
 * Checks that the credentials are those of the account that the environment names.
 *
 * @throws {UsageError} if they are of another account, or missing
 */
async function checkAccount({ environment, account, ...config }: Command): Promise<void> {
  const { region, profile } = config;
  const sts = new STSClient({ region, ...(profile && { profile }) });
  const identity = await sts.send(new GetCallerIdentityCommand({})).catch((error: Error) => {
    throw new UsageError(`Whose credentials these are cannot be found out: ${error.message}`);
  });
  if (identity.Account !== account)
    throw new UsageError(
      `The credentials are of account ${identity.Account}, and ${environment} belongs to ${account}. Nothing was changed.`,
    );
}

/** Runs a command. It reports a usage error in a sentence, and exits with 2. */
export async function runCommand(carryOut: (command: Command) => Promise<number>): Promise<number> {
  try {
    const command = readCommand(process.argv.slice(2));
    await checkAccount(command);
    return await carryOut(command);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Prints the error of AWS unchanged.
    if ("$fault" in error) console.error(`${error.name}: ${error.message}`);
    else if (error instanceof UsageError) console.error(error.message);
    else throw error;
    return error instanceof UsageError ? 2 : 1;
  }
}

function contextInFiles(key: string): unknown {
  for (const file of CONTEXT_FILES) {
    if (!existsSync(file)) continue;
    const content = JSON.parse(readFileSync(file, "utf8"));
    const context = file === "cdk.json" ? content.context : content;
    if (context?.[key] !== undefined) return context[key];
  }
  return undefined;
}
