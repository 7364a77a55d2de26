import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { type Environment, UNNAMED } from "./environments.ts";
import { Kept, type KeptProps } from "./kept.ts";
import { Service, type ServiceProps } from "./service.ts";
import { Table, type TableReference, type TableRegions } from "./table.ts";

export interface StatefulStackProps {
  readonly environment: Environment;
  readonly regions?: TableRegions;
}

/**
 * The stack with the table. It stays when all code changes. It exports the stream whether or not the home Region publishes:
 * CloudFormation keeps an export while a deployed stack imports it, and a failover leaves that stack as it is.
 */
export class StatefulStack extends Stack {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, props: StatefulStackProps) {
    super(scope, id);
    const { table } = new Table(this, "Table", props);
    this.table = table;
    new CfnOutput(this, "TableName", { value: table.tableName });
    this.exportValue(table.tableStreamArn);
  }
}

export interface TrailStackProps extends KeptProps {
  readonly env?: StackProps["env"];
}

/**
 * The stack with what is kept of changes. It is a stack of its own, because an environment with a restored table has no
 * stateful stack, and its past is still the same. It exports the bucket whether or not its Region publishes, so that a
 * failover deploys the stateless stack alone.
 */
export class TrailStack extends Stack {
  readonly history: TableReference;
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { env, ...props }: TrailStackProps) {
    super(scope, id, { ...(env && { env }) });
    const { history, bucket } = new Kept(this, UNNAMED, props);
    this.history = history;
    this.bucket = bucket;
    new CfnOutput(this, "TrailBucket", { value: bucket.bucketName });
    this.exportValue(bucket.bucketName);
    this.exportValue(bucket.bucketArn);
  }
}

export interface StatelessStackProps extends ServiceProps {
  readonly env?: StackProps["env"];
}

/**
 * The stack that can be deployed again at any time: functions, API, schedules and alarms. With policies for many spaces
 * its template would be near the size that CloudFormation takes, if half of it were indentation.
 */
export class StatelessStack extends Stack {
  constructor(scope: Construct, id: string, { env, ...props }: StatelessStackProps) {
    super(scope, id, { ...(env && { env }), suppressTemplateIndentation: true });
    const { endpoint, alarms, eventQueue, bus } = new Service(this, UNNAMED, props);
    new CfnOutput(this, "Endpoint", { value: endpoint });
    new CfnOutput(this, "AlarmTopic", { value: alarms.topic.topicArn });
    new CfnOutput(this, "EventQueue", { value: eventQueue.queueUrl });
    new CfnOutput(this, "EventBus", { value: bus.eventBusName });
  }
}
