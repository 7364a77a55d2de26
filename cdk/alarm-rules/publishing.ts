import { ComparisonOperator, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { EACH_15_MINUTES, EACH_MINUTE } from "../metrics.ts";
import type { Publisher } from "../publishing.ts";
import type { AlarmRule } from "./rule.ts";

/** The age at which a change is late. Lambda reads the stream four times a second. */
const LAG_MS_MAX = 300_000;

/** The alarms of what publishes the changes of the table. */
export const publishingRules = ({ publish, deadLetterQueue }: Publisher): readonly AlarmRule[] => [
  {
    id: "StreamLag",
    says: `Changes of the table wait to be published for ${LAG_MS_MAX / 60_000} minutes; after 24 hours they are lost to events and the trail.`,
    metric: publish.alias.metric("IteratorAge", {
      statistic: Stats.MAXIMUM,
      period: EACH_MINUTE,
    }),
    threshold: LAG_MS_MAX,
    evaluationPeriods: 3,
  },
  {
    id: "NoHeartbeatOfPublish",
    says: "No change of the table reaches the publisher: its stream or the mapping is switched off.",
    // The repair run marks the table every ten minutes (`src/restore/mark-table.ts`), so each period has a change. Without
    // an invocation Lambda has no age of a change either, so StreamLag sees nothing.
    metric: publish.alias.metricInvocations({ statistic: Stats.SUM, period: EACH_15_MINUTES }),
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: 2,
    treatMissingData: TreatMissingData.BREACHING,
  },
  {
    id: "PublishErrors",
    says: "The publisher of changes fails as a whole; Lambda repeats the batch.",
    metric: publish.alias.metricErrors({ statistic: Stats.SUM, period: EACH_MINUTE }),
    threshold: 1,
    // One error is a batch that was repeated.
    evaluationPeriods: 5,
    datapointsToAlarm: 3,
  },
  {
    id: "DeadChanges",
    says: "Changes were put aside: no event and no line of the trail tells them.",
    metric: deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      statistic: Stats.MAXIMUM,
      period: EACH_MINUTE,
    }),
    threshold: 1,
    evaluationPeriods: 1,
  },
];
