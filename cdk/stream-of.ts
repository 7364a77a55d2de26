import {
  DescribeTableCommand,
  DynamoDBClient,
  StreamViewType,
  type TableDescription,
} from "@aws-sdk/client-dynamodb";
import { UsageError } from "../src/local/usage-error.ts";
import { type EnvironmentName, stackId, stageName } from "./environments.ts";
import { TABLE_STREAM } from "./table-stream.ts";

/** The deployment that needs the stream. */
interface Publishing {
  readonly environment: EnvironmentName;
  /** The Region that the deployment acts in, if it acts in one only. */
  readonly region: string;
  readonly inOneRegion: boolean;
  /** The Region of the stateful stack. */
  readonly home: string;
  /** The Region that publishes. */
  readonly active: string;
  /** The existing table of the environment, if it has one. */
  readonly tableName: string | undefined;
  readonly profile: string | undefined;
}

/**
 * Returns the arguments of `cdk deploy` that name the stream of the table in the active Region: none if a template has
 * it, or if the deployment leaves that Region out.
 *
 * @throws {UsageError} if the table does not exist there, or has no stream of old and new images
 */
export async function streamParameters({
  environment,
  region,
  inOneRegion,
  home,
  active,
  tableName,
  profile,
}: Publishing): Promise<readonly string[]> {
  const templatesHaveIt = tableName === undefined && active === home;
  if (templatesHaveIt || (inOneRegion && region !== active)) return [];
  const stage = stageName(environment);
  const name = tableName ?? stage;
  const client = new DynamoDBClient({ region: active, ...(profile && { profile }) });
  const { Table } = await client
    .send(new DescribeTableCommand({ TableName: name }))
    .catch((error: Error): { Table?: TableDescription } => {
      if (error.name === "ResourceNotFoundException") return {};
      throw error;
    });
  const missing = `${active} would publish no events and no trail`;
  if (!Table)
    throw new UsageError(
      tableName === undefined
        ? `There is no table ${name} in ${active} yet, so ${missing}. Deploy with "active": "${home}" first. Nothing was changed.`
        : `There is no table ${name} in ${active}: name an existing one as tableName. Nothing was changed.`,
    );
  const { StreamEnabled, StreamViewType: view } = Table.StreamSpecification ?? {};
  const stream = Table.LatestStreamArn;
  if (!StreamEnabled || view !== StreamViewType.NEW_AND_OLD_IMAGES || stream === undefined)
    throw new UsageError(
      `The table ${name} in ${active} has ${StreamEnabled ? `a stream of ${view}` : "no stream"}, so ${missing}. Give it a stream of NEW_AND_OLD_IMAGES with aws dynamodb update-table. Nothing was changed.`,
    );
  return [
    "--parameters",
    `${stage}-${stackId("stateless", active, home)}:${TABLE_STREAM}=${stream}`,
  ];
}
