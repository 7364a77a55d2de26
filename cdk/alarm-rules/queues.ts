import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { EACH_MINUTE } from "../metrics.ts";
import type { AlarmRule } from "./rule.ts";

export interface QueuesProps {
  readonly deadLetterQueue: IQueue;
  /** The queue of the events of clusters, and that of those that failed. */
  readonly events: { readonly queue: IQueue; readonly deadLetterQueue: IQueue };
}

/** Five deliveries of a message, with a minute between two of them, and a margin. */
const EVENT_SECONDS_MAX = 600;

const EACH = { statistic: Stats.MAXIMUM, period: EACH_MINUTE };

/** The alarms of what waits in a queue, or was put aside in one. */
export const queueRules = ({ deadLetterQueue, events }: QueuesProps): readonly AlarmRule[] => [
  {
    id: "DeadLetters",
    says: "A scheduled run was lost, or failed as a whole.",
    metric: deadLetterQueue.metricApproximateNumberOfMessagesVisible(EACH),
    threshold: 1,
    evaluationPeriods: 1,
  },
  {
    id: "DeadEvents",
    says: "Events of clusters are malformed, or failed five times.",
    metric: events.deadLetterQueue.metricApproximateNumberOfMessagesVisible(EACH),
    threshold: 1,
    evaluationPeriods: 1,
  },
  {
    id: "LateEvents",
    isWarning: true,
    says: "Events of clusters wait in their queue: nodes are neither registered nor released.",
    metric: events.queue.metricApproximateAgeOfOldestMessage(EACH),
    // Longer than all deliveries of one bad message take.
    threshold: EVENT_SECONDS_MAX,
    evaluationPeriods: 1,
  },
];
