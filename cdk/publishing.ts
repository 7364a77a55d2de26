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
  /** Serves the events to programs that poll. */
  readonly read: TableFunction;
  /** Absent in a Region that is not active: its bus and its queue wait until it is. */
  readonly source: PublishingSource | undefined;
  readonly bucket: Pick<IBucket, "bucketName" | "arnForObjects">;
}

interface PublishingSource {
  readonly publish: TableFunction;
  /** The stream of the table in this Region. */
  readonly streamArn: string;
}

/** The function that publishes, and the queue of the changes that it put aside. */
export interface Publisher {
  readonly publish: TableFunction;
  readonly deadLetterQueue: IQueue;
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
 *
 * Every Region has the bus and the queue, whether or not it publishes: consumers have their rules on a bus before a failover, and a Region that is no
 * longer active keeps them, and the changes put aside.
 */
export class Publishing extends Construct {
  readonly bus: EventBus;
  /** Absent in a Region that publishes nothing. */
  readonly publisher?: Publisher;

  constructor(scope: Construct, id: string, { source, read, bucket }: PublishingProps) {
    super(scope, id);
    this.bus = new EventBus(this, "Bus", { description: "What happens to the addresses of Plat." });
    const deadLetterQueue = new Queue(this, "DeadLetterQueue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    if (!source) return;
    const { publish: deployed, streamArn } = source;
    this.publisher = { publish: deployed, deadLetterQueue };
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
    const mapping = new EventSourceMapping(this, "Stream", {
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
    mapping.node.addDependency(publish.role ?? publish);
  }
}
