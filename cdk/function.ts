import { type Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  type Alias,
  Architecture,
  type IFunction,
  Function as LambdaFunction,
  Runtime,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { LIVE_ALIAS } from "../src/rollback/target.ts";
import { type DeployedFunctionName, HISTORY_ACCESS } from "./access.ts";
import { accessStatements, historyStatements } from "./access-statements.ts";
import { codeOf } from "./code.ts";
import type { Environment } from "./environments.ts";
import type { Marker } from "./marker.ts";
import type { TableReference } from "./table.ts";

export interface TableFunctionProps {
  readonly environment: Environment;
  readonly table: TableReference;
  /** The marker beside the table. */
  readonly marker: Marker;
  /** The table of the history; a function without rights to it does not know it. */
  readonly history?: TableReference;
  readonly timeout: Duration;
  readonly reservedConcurrentExecutions?: number;
}

/** A Lambda function that works on the table. Its name determines its file in `functions/` and its rights. */
export class TableFunction extends Construct {
  readonly function: LambdaFunction;
  readonly alias: Alias;
  /** The alias, as a function that others invoke. */
  readonly live: IFunction;

  constructor(
    scope: Construct,
    name: DeployedFunctionName,
    { environment, table, marker, history: all, ...limits }: TableFunctionProps,
  ) {
    super(scope, name);
    const history = HISTORY_ACCESS[name] && all;
    const logGroup = new LogGroup(this, "Logs", {
      retention: environment.logRetention,
      removalPolicy: environment.removalPolicy,
    });

    // The role is defined here, because the CDK's default role may write to every log group of the account.
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    });
    logGroup.grantWrite(role);
    for (const statement of accessStatements(name, table)) role.addToPolicy(statement);
    if (history)
      for (const statement of historyStatements(name, history)) role.addToPolicy(statement);

    this.function = new LambdaFunction(this, "Function", {
      code: codeOf(name),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      environment: {
        TABLE_NAME: table.tableName,
        ...(history && {
          HISTORY_TABLE_NAME: history.tableName,
          HISTORY_DAYS: String(environment.historyDays),
        }),
        LOG_LEVEL: "INFO",
        METRICS_NAMESPACE: Stack.of(this).stackName,
      },
      role,
      logGroup,
      // A rollback needs the earlier versions. Lambda deletes them with their function. A version of a failed
      // deployment also stays, because Lambda publishes the same code only once, so the next try could not have its
      // version.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      ...limits,
    });
    marker.tell(name, this.function);
    this.alias = this.function.addAlias(LIVE_ALIAS);
    // The CDK's own classes do not pass exactOptionalPropertyTypes.
    this.live = this.alias as IFunction;
  }
}
