import { Duration, RemovalPolicy, Stack, Token } from "aws-cdk-lib";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { TimeWindow } from "aws-cdk-lib/aws-scheduler";
import type { Construct } from "constructs";
import { SHARDS } from "../src/base/limits.ts";
import { wrong } from "../src/constructs/props.ts";

/** The differences between environments; everything else is the same. */
export interface Environment {
  readonly pointInTimeRecovery: boolean;
  readonly deletionProtection: boolean;
  /** Removal policy of the table and the logs. */
  readonly removalPolicy: RemovalPolicy;
  readonly logRetention: RetentionDays;
  /** The days that the history keeps an entry. */
  readonly historyDays: number;
  /** The time that the objects of the trail are kept, unless a lock keeps them longer. */
  readonly trailRetention: Duration;
  /** True if the bucket of the trail keeps what is deleted or written over. */
  readonly trailVersions: boolean;
  readonly reclaimRate: Duration;
  readonly repairRate: Duration;
  readonly workRate: Duration;
  /**
   * Shards that a schedule of `reclaim` or `repair` names. Each schedule is an execution of Lambda a minute, in which its
   * shards share processor and memory.
   */
  readonly shardsPerSchedule: number;
  /**
   * The time within which a run starts after its scheduled time. Without a window, Scheduler promises the minute
   * (https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html), and all schedules can begin in the
   * same second. In an environment without reserved executions a window spreads the schedules, so that they do not use
   * all concurrency of a small account
   * (https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-flexible-time-windows.html).
   */
  readonly scheduleWindow: TimeWindow;
  /**
   * Lambda executions that are reserved for each schedule, independent of requests. Lambda keeps 100 unreserved. A new
   * account may have 10 in all, so it has none to reserve
   * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html).
   */
  readonly reservedPerSchedule: number | undefined;
}

export type EnvironmentName = "dev" | "prod";

export const ENVIRONMENTS: Readonly<Record<EnvironmentName, Environment>> = {
  // A dev deployment leaves nothing behind when it is destroyed.
  dev: {
    pointInTimeRecovery: false,
    deletionProtection: false,
    removalPolicy: RemovalPolicy.DESTROY,
    logRetention: RetentionDays.ONE_WEEK,
    historyDays: 7,
    trailRetention: Duration.days(7),
    trailVersions: false,
    reclaimRate: Duration.minutes(1),
    repairRate: Duration.minutes(1),
    workRate: Duration.minutes(1),
    shardsPerSchedule: SHARDS,
    scheduleWindow: TimeWindow.flexible(Duration.minutes(1)),
    reservedPerSchedule: undefined,
  },
  // Prod always keeps the table, because nothing else can reproduce the owner of each address.
  prod: {
    pointInTimeRecovery: true,
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
    logRetention: RetentionDays.THREE_MONTHS,
    historyDays: 90,
    trailRetention: Duration.days(400),
    trailVersions: true,
    reclaimRate: Duration.minutes(1),
    repairRate: Duration.minutes(1),
    workRate: Duration.minutes(1),
    shardsPerSchedule: 4,
    scheduleWindow: TimeWindow.off(),
    reservedPerSchedule: 1,
  },
};

/** Returns an environment with what a deployment chooses. */
export const environmentOf = (
  name: EnvironmentName,
  { shardsPerSchedule }: { readonly shardsPerSchedule?: number | undefined },
): Environment => ({
  ...ENVIRONMENTS[name],
  ...(shardsPerSchedule !== undefined && { shardsPerSchedule }),
});

export const ENVIRONMENT_NAMES = Object.keys(ENVIRONMENTS) as EnvironmentName[];

export function isEnvironmentName(name: string): name is EnvironmentName {
  return Object.hasOwn(ENVIRONMENTS, name);
}

/** Returns the environment that a property names: `prod` if it is absent. @throws {Error} if there is no such one */
export function protectionOf(construct: Construct, protection = "prod"): EnvironmentName {
  if (isEnvironmentName(protection)) return protection;
  throw wrong(construct, `protection is "${protection}"; it must be "dev" or "prod"`);
}

/** Returns the name of an environment's CDK Stage; its stacks are deployed as `<stage>/*`. */
export function stageName(name: EnvironmentName): string {
  return `plat-${name}`;
}

/** Returns the name of a construct's stack, with which names in AWS begin. @throws {Error} in a nested stack, whose name AWS makes */
export function stackNameOf(construct: Construct): string {
  const { stackName } = Stack.of(construct);
  if (!Token.isUnresolved(stackName)) return stackName;
  throw wrong(
    construct,
    "needs a stack that is not nested: names in AWS begin with that of the stack",
  );
}

/** Returns the id of a stack in a Region, which has the name of the Region beside that of the first one. */
export function stackId(
  stack: "stateless" | "trail",
  region: string | undefined,
  first: string | undefined,
): string {
  return region === first ? stack : `${stack}-${region}`;
}

/** The one id that the CDK leaves out of logical ids, so that these are the same with the construct and without it. */
export const UNNAMED = "Default";
