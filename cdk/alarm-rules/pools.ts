import { ComparisonOperator, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { EXHAUSTION_ALARM_MS } from "../../src/nouns/alarm/alarm.ts";
import { THRESHOLDS_PERCENT } from "../../src/nouns/utilization/pool-usage.ts";
import { EACH_15_MINUTES, ownMetric } from "../metrics.ts";
import type { AlarmRule } from "./rule.ts";

const HOUR_MS = 3_600_000;

/**
 * The alarms of pools that run out of addresses. Each looks at the fullest pool of the environment, which
 * `plat alarm get` names. A pool is sampled every five minutes, so a period without a sample keeps the state.
 */
export const poolRules = (scope: Construct): readonly AlarmRule[] => [
  ...THRESHOLDS_PERCENT.map(
    (percent): AlarmRule => ({
      id: `PoolAbove${percent}`,
      says: `Of a pool, ${percent} % or more is in use or cooling.`,
      chapter: "PoolAbove80",
      metric: ownMetric(scope, "PoolUse", { statistic: Stats.MAXIMUM, period: EACH_15_MINUTES }),
      threshold: percent,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.IGNORE,
    }),
  ),
  {
    id: "PoolExhaustsSoon",
    says: `A pool has no address left within ${EXHAUSTION_ALARM_MS / HOUR_MS} hours, if its use grows on as in the last day.`,
    chapter: "PoolAbove80",
    metric: ownMetric(scope, "HoursUntilExhausted", {
      statistic: Stats.MINIMUM,
      period: EACH_15_MINUTES,
    }),
    threshold: EXHAUSTION_ALARM_MS / HOUR_MS,
    comparisonOperator: ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD,
    // Two periods, so that one burst raises no alarm.
    evaluationPeriods: 2,
  },
];
