import { randomUUID } from "node:crypto";
import { inParallel } from "../src/kernel/core/parallel.ts";
import { every, type Timer } from "../src/local/timers.ts";
import type { DeployedSchedule, Deployment } from "./deployment.ts";
import { decide } from "./iam.ts";
import type { Lambda } from "./lambda.ts";
import type { Queues } from "./queues.ts";

export interface SchedulerProps {
  readonly deployment: Deployment;
  readonly lambda: Lambda;
  readonly queues: Queues;
  /** The interval of all schedules in seconds, in place of the rates of the template. */
  readonly scheduleSeconds: number | undefined;
}

/**
 * Plays EventBridge Scheduler: it sends an event to Lambda at the rate of each schedule, as the role of the schedule.
 */
export function startSchedules({
  deployment,
  lambda,
  queues,
  scheduleSeconds,
}: SchedulerProps): readonly Timer[] {
  const { account, region, schedules } = deployment;
  /** Resolves when the scheduled run is over. */
  const startRun = async (schedule: DeployedSchedule): Promise<void> => {
    const payload = schedule.input ?? JSON.stringify(eventOf(schedule, account, region));
    const { functionArn, deadLetterArn } = schedule;
    if (may(schedule, "lambda:InvokeFunction", functionArn))
      return lambda.invokeLater(functionArn, payload);
    const why = `${schedule.role.arn} may not invoke ${functionArn}`;
    if (deadLetterArn !== undefined && may(schedule, "sqs:SendMessage", deadLetterArn))
      queues.send(deadLetterArn, { payload, errorCode: "AccessDenied", errorMessage: why });
    else console.error(`${why}: a scheduled run is lost`);
  };
  if (scheduleSeconds === undefined)
    return schedules.map((schedule) =>
      every(schedule.rateSeconds, async () => void startRun(schedule)),
    );
  // If all runs start at a short interval, most are still in progress when the next ones are due. So the schedules of
  // one function run one after the other.
  const functions = [...new Set(schedules.map(({ functionArn }) => functionArn))];
  return functions.map((functionArn) => {
    const own = schedules.filter((schedule) => schedule.functionArn === functionArn);
    return every(scheduleSeconds, async () => void (await inParallel(own, 1, startRun)));
  });
}

const may = ({ role }: DeployedSchedule, action: string, resource: string) =>
  decide(role.statements, { action, resource }) === "allowed";

/** Returns the default event of a schedule without its own input. */
function eventOf({ name }: DeployedSchedule, account: string, region: string) {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.scheduler",
    account,
    time: new Date().toISOString(),
    region,
    resources: [`arn:aws:scheduler:${region}:${account}:schedule/default/${name}`],
    detail: "{}",
  };
}
