import { Duration, Stack } from "aws-cdk-lib";
import type { EventBus } from "aws-cdk-lib/aws-events";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { REQUEST_MS_MAX } from "../src/base/limits.ts";
import type { FunctionName } from "../src/contract/routes.ts";
import type { ScheduledFunctionName } from "./access.ts";
import type { AccessChoice } from "./access-choice.ts";
import { type AlarmLevel, Alarms } from "./alarms.ts";
import { Api } from "./api.ts";
import type { PrivateApiChoice } from "./api-choice.ts";
import { CallerPolicies } from "./caller-policies.ts";
import { Canary } from "./canary.ts";
import { tellConsole } from "./console.ts";
import type { ConsoleChoice } from "./console-choice.ts";
import { Dashboard } from "./dashboard.ts";
import type { Rollout } from "./deployment.ts";
import type { DomainChoice } from "./domain-choice.ts";
import type { Environment } from "./environments.ts";
import { TableFunction, type TableFunctionProps } from "./function.ts";
import { Intake } from "./intake.ts";
import { type HomeStack, Marker } from "./marker.ts";
import type { StageMetrics } from "./metrics.ts";
import { PrivateApi } from "./private-api.ts";
import { Probe } from "./probe.ts";
import { Publishing } from "./publishing.ts";
import { checkConcurrency, Schedules, scheduleInputs } from "./schedules.ts";
import { existingTable, type TableReference } from "./table.ts";
import { tableStreamOf } from "./table-stream.ts";

export interface ServiceProps {
  readonly environment: Environment;
  /** The table, or the name of an existing one in the account and the Region. */
  readonly table: TableReference | string;
  /** The history and the trail of the Region. */
  readonly trail: {
    readonly history: TableReference;
    readonly bucket: Pick<IBucket, "bucketName" | "arnForObjects">;
  };
  /** The stream of the table in this Region, if a template has it; otherwise it is a parameter of the stack. */
  readonly streamArn?: string;
  /** The spaces that have managed policies of their own, beside those over every space; no policies if absent. */
  readonly spaces?: readonly string[];
  readonly rollout?: Rollout;
  /** True if everybody may ask for /healthz. */
  readonly publicHealth?: boolean;
  /** The console at `/console` of the API. */
  readonly console?: ConsoleChoice;
  /** True with the dashboard of CloudWatch. */
  readonly dashboard: boolean;
  readonly alarmLevel: AlarmLevel;
  /** True if a probe assigns and releases each minute. */
  readonly probe?: boolean;
  /** False in a Region that neither runs the schedules nor publishes; true unless named. */
  readonly active?: boolean;
  /** The stack of the first Region, in a further one. */
  readonly home?: HomeStack;
  /** The other Regions that have a replica of the table. */
  readonly otherRegions?: readonly string[];
  /** The quota of concurrent Lambda executions of the account in its Region. */
  readonly lambdaConcurrency: number;
  /** The way in which callers are authorized. */
  readonly access: AccessChoice;
  /** The settings of a private REST API, in place of an HTTP API. */
  readonly privateApi?: PrivateApiChoice;
  /** The domain name of the API, if it has one of its own. */
  readonly domain: DomainChoice | undefined;
}

/** All that serves: functions, API, schedules, publishing and alarms. It can be made anew at any time. */
export class Service extends Construct {
  readonly apiId: string;
  /** The name of the stage in the ARNs of calls. */
  readonly stageName: string;
  readonly endpoint: string;
  /** The metrics of the API. */
  readonly stage: StageMetrics;
  readonly alarms: Alarms;
  /** Takes events of other systems. */
  readonly eventQueue: IQueue;
  /** Has events in the Region that publishes. */
  readonly bus: EventBus;

  constructor(scope: Construct, id: string, { environment, ...props }: ServiceProps) {
    super(scope, id);
    checkConcurrency(this, environment, props.lambdaConcurrency);
    const table = typeof props.table === "string" ? existingTable(this, props.table) : props.table;

    const { history, bucket } = props.trail;
    const marker = new Marker(this, "Marker", { environment, home: props.home });
    const over = { environment, table, marker };

    // Other functions treat a request as ended once REQUEST_MS_MAX has passed, so Lambda must have stopped it by then.
    const request = (name: FunctionName | "intake" | "authorize" | "netbox") =>
      new TableFunction(this, name, {
        ...over,
        history,
        timeout: Duration.millis(REQUEST_MS_MAX),
      });
    const functions = {
      assign: request("assign"),
      release: request("release"),
      batch: request("batch"),
      amend: request("amend"),
      affinities: request("affinities"),
      read: request("read"),
      survey: request("survey"),
      configure: request("configure"),
      register: request("register"),
      applications: request("applications"),
      nodes: request("nodes"),
      openapi: request("openapi"),
    };
    const { access, domain, privateApi, spaces } = props;
    const publicHealth = props.publicHealth === true;
    const authorize = () => request("authorize");
    const console = props.console && this.#console(over, props.console, access);
    // Clients of NetBox send a token, and sign nothing.
    const netbox = access.type === "iam" ? undefined : request("netbox");
    const common = { environment, functions, publicHealth, ...(netbox && { netbox }) };
    const { apiId, stageName, endpoint, stage, accessLog } = privateApi
      ? new PrivateApi(this, "Api", { ...common, choice: privateApi, access, authorize })
      : new Api(this, "Api", {
          ...common,
          access,
          authorize,
          domain,
          ...(console && { console }),
        });
    if (access.type === "iam" && spaces)
      new CallerPolicies(this, "Callers", { apiId, stageName, spaces });

    // Parallel runs only lose conditional writes to each other; the simulation runs them in parallel.
    const { reservedPerSchedule } = environment;
    const scheduledRun = (name: ScheduledFunctionName) =>
      new TableFunction(this, name, {
        ...over,
        timeout: Duration.seconds(60),
        ...(reservedPerSchedule !== undefined && {
          reservedConcurrentExecutions:
            reservedPerSchedule * scheduleInputs(name, environment).length,
        }),
      });
    const scheduledRuns = {
      reclaim: scheduledRun("reclaim"),
      repair: scheduledRun("repair"),
      work: scheduledRun("work"),
    };
    // The run that names the table in its register names its replicas too (`src/restore/mark-table.ts`).
    for (const region of props.otherRegions ?? [])
      scheduledRuns.repair.function.addToRolePolicy(
        new PolicyStatement({
          actions: ["dynamodb:DescribeTable"],
          resources: [
            Stack.of(this).formatArn({
              service: "dynamodb",
              region,
              resource: "table",
              resourceName: table.tableName,
            }),
          ],
        }),
      );
    const enabled = props.active ?? true;
    const { deadLetterQueue } = new Schedules(this, "Schedules", {
      environment,
      functions: scheduledRuns,
      enabled,
    });

    // One Region probes, as one runs the schedules: the space and its pool are those of the one table.
    const probe = enabled && props.probe === true;
    if (probe) new Probe(this, "Probe", { ...over, deadLetterQueue });

    const events = new Intake(this, "Intake", { intake: request("intake") });

    const { bus, publisher } = new Publishing(this, "Publishing", {
      read: functions.read,
      source: enabled
        ? {
            publish: new TableFunction(this, "publish", {
              ...over,
              history,
              timeout: Duration.minutes(1),
            }),
            streamArn: props.streamArn ?? tableStreamOf(Stack.of(this), table.tableName),
          }
        : undefined,
      bucket,
    });

    const alarms = new Alarms(this, "Alarms", {
      level: props.alarmLevel,
      deadLetterQueue,
      events,
      stage,
      accessLog,
      assign: functions.assign,
      table,
      lambdaConcurrency: props.lambdaConcurrency,
      scheduledRuns,
      enabled,
      probe,
      publisher,
    });

    if (props.dashboard)
      new Dashboard(this, "Dashboard", { alarms: alarms.all, stage, accessLog, table, publisher });

    if (props.rollout === "canary")
      new Canary(this, "Canary", {
        functions: [...Object.values(functions), ...(netbox ? [netbox] : [])],
        stage,
        serverErrors: alarms.serverErrors,
      });

    this.apiId = apiId;
    this.stageName = stageName;
    this.endpoint = endpoint;
    this.stage = stage;
    this.alarms = alarms;
    this.eventQueue = events.queue;
    this.bus = bus;
  }

  /** Makes the function that serves the files of the console. */
  #console(
    over: Pick<TableFunctionProps, "environment" | "table" | "marker">,
    choice: ConsoleChoice,
    access: AccessChoice,
  ): TableFunction {
    const served = new TableFunction(this, "console", { ...over, timeout: Duration.seconds(10) });
    tellConsole(served, choice, access);
    return served;
  }
}
