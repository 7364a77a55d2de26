import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { UsageError } from "../src/local/usage-error.ts";
import { type EnvironmentName, stageName } from "./environments.ts";

/** The deployment that would act on the table. */
interface Deploying {
  readonly environment: EnvironmentName;
  /** The Region of the stateful stack. */
  readonly home: string;
  readonly profile: string | undefined;
  /** True if the table has more than one Region. Only then its name is that of the stage. */
  readonly hasRegions: boolean;
}

/**
 * Checks that a deployment keeps the table. A table does not change its consistency mode, so CloudFormation would
 * replace it by an empty one, which assigns addresses that are in use.
 *
 * @throws {UsageError} if `regions` was added to an environment with a table, or left out
 */
export async function assertTableStays({
  environment,
  home,
  profile,
  hasRegions,
}: Deploying): Promise<void> {
  const client = new CloudFormationClient({ region: home, ...(profile && { profile }) });
  const stage = stageName(environment);
  const StackName = `${stage}-stateful`;
  const { Stacks } = await client
    .send(new DescribeStacksCommand({ StackName }))
    .catch((error: Error) => {
      if (error.message.includes("does not exist")) return { Stacks: [] };
      throw error;
    });
  const table = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === "TableName");
  if (!table || (table.OutputValue === stage) === hasRegions) return;
  throw new UsageError(
    `${environment} has the table ${table.OutputValue}, and a table keeps its Regions. ${
      hasRegions ? "With" : "Without"
    } the setting regions, the deployment would create an empty table, which would assign addresses that are in use. Nothing was changed.`,
  );
}
