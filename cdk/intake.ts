import { Duration } from "aws-cdk-lib";
import { Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { type IQueue, Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { REQUEST_MS_MAX } from "../src/base/limits.ts";
import type { TableFunction } from "./function.ts";

export interface IntakeProps {
  readonly intake: TableFunction;
}

/** Messages of one invocation. Each of them is a handful of calls, side by side. */
const BATCH_MESSAGES = 10;
/** Deliveries of a message before it is a dead letter. */
const RECEIVES_MAX = 5;
/**
 * The time that a delivered message stays invisible: six times that of the function, as AWS recommends
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html).
 */
const INVISIBLE = Duration.millis(6 * REQUEST_MS_MAX);

/**
 * Takes in events of clusters and of their cloud: a standard queue, and the function that applies its messages. Order and repeats do no
 * harm, so a bad message holds up nobody. Rules of EventBridge send the ends of machines into the queue.
 */
export class Intake extends Construct {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;

  constructor(scope: Construct, id: string, { intake }: IntakeProps) {
    super(scope, id);
    const secured = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
    const deadLetterQueue = new Queue(this, "DeadLetterQueue", {
      ...secured,
      retentionPeriod: Duration.days(14),
    });
    const queue = new Queue(this, "Queue", {
      ...secured,
      visibilityTimeout: INVISIBLE,
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: RECEIVES_MAX },
    });
    this.queue = queue;
    this.deadLetterQueue = deadLetterQueue;

    intake.live.addEventSource(
      new SqsEventSource(queue, { batchSize: BATCH_MESSAGES, reportBatchItemFailures: true }),
    );

    // A target in the same account needs no role: the policy of the queue allows the rule.
    const target = new SqsQueue(queue, { deadLetterQueue });
    new Rule(this, "InstanceTerminated", {
      description: "An EC2 instance was terminated: the node that ran on it is gone.",
      eventPattern: {
        source: ["aws.ec2"],
        detailType: ["EC2 Instance State-change Notification"],
        detail: { state: ["terminated"] },
      },
      targets: [target],
    });
    new Rule(this, "ScaledIn", {
      description: "An Auto Scaling group terminated an instance: the node that ran on it is gone.",
      eventPattern: {
        source: ["aws.autoscaling"],
        detailType: ["EC2 Instance Terminate Successful"],
      },
      targets: [target],
    });
  }
}
