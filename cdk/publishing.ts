import { Duration } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, FilterCriteria, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { SqsDlq } from "aws-cdk-lib/aws-lambda-event-sources";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import { type IQueue, Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { TableFunction } from "./function.ts";
import { STREAM_FILTERS } from "./stream-filters.ts";

export interface PublishingProps {
  readonly publish: TableFunction;
  /** Serves the events to programs that poll. */
  readonly read: TableFunction;
  /** The stream of the table in this Region. */
  readonly streamArn: string;
  readonly bucket: Pick<IBucket, "bucketName" | "arnForObjects">;
}

/** Changes of one invocation. Lambda waits this long for them. */
const BATCH_CHANGES = 500;
const BATCH_WINDOW = Duration.seconds(1);
/** A stream keeps its changes for 24 hours, so nothing is given up earlier. */
const STREAM_AGE = Duration.hours(24);

/**
 * Publishes what the table changes: events on a bus, the history and the trail. The function reads the stream shard by
 * shard, and each shard in its order, so it sees the changes of an item in their order. It repeats what failed until
 * the stream has it no longer.
 */
export class Publishing extends Construct {
  readonly bus: EventBus;
  readonly deadLetterQueue: IQueue;
  readonly publish: TableFunction;

  constructor(
    scope: Construct,
    id: string,
    { publish: deployed, read, streamArn, bucket }: PublishingProps,
  ) {
    super(scope, id);
    this.bus = new EventBus(this, "Bus", { description: "What happens to the addresses of Plat." });
    const deadLetterQueue = new Queue(this, "DeadLetterQueue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.deadLetterQueue = deadLetterQueue;
    this.publish = deployed;
    const { function: publish, live } = deployed;
    publish.addEnvironment("EVENT_BUS", this.bus.eventBusName);
    publish.addEnvironment("TRAIL_BUCKET", bucket.bucketName);
    publish.addEnvironment("DEAD_LETTER_URL", deadLetterQueue.queueUrl);
    read.function.addEnvironment("PUBLISHES", "true");
    for (const [action, resource] of [
      ["events:PutEvents", this.bus.eventBusArn],
      ["s3:PutObject", bucket.arnForObjects("changes/*")],
    ] as const)
      publish.addToRolePolicy(new PolicyStatement({ actions: [action], resources: [resource] }));
    // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/iam-policy-example-lamda-process-dynamodb-streams.html
    publish.addToRolePolicy(
      new PolicyStatement({
        actions: ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"].map(
          (action) => `dynamodb:${action}`,
        ),
        resources: [streamArn],
      }),
    );
    const source = new EventSourceMapping(this, "Stream", {
      target: live,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: BATCH_CHANGES,
      maxBatchingWindow: BATCH_WINDOW,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      maxRecordAge: STREAM_AGE,
      onFailure: new SqsDlq(deadLetterQueue),
      filters: STREAM_FILTERS.map((pattern) => FilterCriteria.filter(pattern)),
    });
    // Lambda asks for the stream as the role, when it creates the mapping.
    source.node.addDependency(publish.role ?? publish);
  }
}
