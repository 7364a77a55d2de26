import type { AlarmProps } from "aws-cdk-lib/aws-cloudwatch";

/** The condition of an alarm, and its sentence. By default missing data means that nothing went wrong. */
export interface AlarmRule
  extends Pick<
    AlarmProps,
    | "metric"
    | "threshold"
    | "comparisonOperator"
    | "evaluationPeriods"
    | "datapointsToAlarm"
    | "treatMissingData"
  > {
  /** The id of the alarm, and the end of its name. */
  readonly id: string;
  /** A sentence that says what happened. */
  readonly says: string;
  /** The chapter of `docs/runbook.md`, if alarms share one; otherwise the id. */
  readonly chapter?: string;
  /** True if it tells that service gets worse, while nothing has failed for good. Essential alarms leave it out. */
  readonly isWarning?: true;
}

/** Returns the description of an alarm: what happened, and where an operator reads what to do. */
export const descriptionOf = ({ id, says, chapter = id }: AlarmRule): string =>
  `${says} See docs/runbook.md#${chapter.toLowerCase()}.`;
