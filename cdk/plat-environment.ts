import { ArnFormat, Aspects, CfnWaitConditionHandle, Stack } from "aws-cdk-lib";
import { type IAlarm, type Metric, type MetricOptions, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import type { IEventBus } from "aws-cdk-lib/aws-events";
import { Grant, type IGrantable } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct, type IDependable } from "constructs";
import * as v from "valibot";
import { spaceName } from "../src/api/schema/field.ts";
import { fields } from "../src/api/schema/schema.ts";
import { PlatApi } from "../src/constructs/plat-api.ts";
import { readProps, wrong } from "../src/constructs/props.ts";
import { type CallerRole, callsInEverySpace, callsInSpace } from "./callers.ts";
import { deployment } from "./deployment.ts";
import { certificateProblems } from "./domain-choice.ts";
import { encryptWith } from "./encrypted-with.ts";
import { environmentOf, protectionOf, UNNAMED } from "./environments.ts";
import { pinFlags } from "./flags.ts";
import { EACH_5_MINUTES, EACH_15_MINUTES, ownMetric, type StageMetrics } from "./metrics.ts";
import { type IPlatData, PlatData, type PlatTrailLock } from "./plat-data.ts";
import { Service } from "./service.ts";
import { Traced } from "./traced.ts";

/** The callers: principals of AWS with the rights to it, callers with JSON Web Tokens of an issuer, or with tokens. */
export type PlatAccess =
  | { readonly type: "iam" }
  | {
      readonly type: "jwt";
      /** The URL of the issuer, as in the claim `iss`. */
      readonly issuer: string;
      readonly audience: string[];
      /** The claim with the roles of the caller, such as `plat_roles`. */
      readonly rolesClaim: string;
      /** The claim with the tenant of the caller. Without it a caller may name any tenant. */
      readonly tenantClaim?: string;
    }
  | {
      readonly type: "token";
      /** The name of the secret in Secrets Manager with the hashes of the tokens. */
      readonly secret: string;
    };

/** The domain name of the API. */
export interface PlatDomain {
  readonly name: string;
  /** The certificate of AWS Certificate Manager, in the Region of the stack. */
  readonly certificateArn: string;
  /** The hosted zone of Route 53 that gets the record of the name. Default: none. */
  readonly hostedZoneId?: string;
}

/** The console, at `/console` of the API. */
export interface PlatConsole {
  /** The client of the issuer that the console is, with JSON Web Tokens. */
  readonly clientId?: string;
  /** The scopes to ask the issuer for. Default: `openid`. */
  readonly scope?: string;
  /** Further origins that the console may call, with JSON Web Tokens. Default: none. */
  readonly origins?: string[];
}

/** Properties of what serves, which `PlatEnvironment` and `PlatStage` have. All have a default. */
export interface PlatServiceProps {
  /**
   * `prod` keeps the table with recovery and protection, and its logs for three months. `dev` leaves nothing behind
   * when it is destroyed, once its trail is empty. Default: `prod`.
   */
  readonly protection?: "dev" | "prod";
  /** The way in which callers are authorized. Default: `{ type: "iam" }`. */
  readonly access?: PlatAccess;
  /** The domain name of the API. Default: that of API Gateway. */
  readonly domain?: PlatDomain;
  /** The console. Default: none. */
  readonly console?: PlatConsole;
  /** True if everybody may ask whether Plat is up. Default: false. */
  readonly publicHealth?: boolean;
  /** True if a probe assigns and releases an address each minute. Default: false. */
  readonly probe?: boolean;
  /** True for the dashboard of CloudWatch, which costs $3 a month beyond the three that an account has free. Default: false. */
  readonly dashboard?: boolean;
  /**
   * `essential` tells what failed, and which pool is about to be full. `all` also warns while service gets worse, such as
   * of slow assigns, for $0.90 a month more. Default: `essential`.
   */
  readonly alarms?: "essential" | "all";
  /** The way in which requests move to a new version. Default: `at-once`. */
  readonly rollout?: "at-once" | "canary";
  /** Default: `none`. */
  readonly tracing?: "none" | "xray";
  /**
   * Shards that share an execution of `reclaim` or `repair`. With 1 each has one of its own, for environments with more
   * than a million addresses, and for $2.51 a month more than with 4. Default: 4 in `prod`, 16 in `dev`.
   */
  readonly shardsPerSchedule?: 1 | 4 | 16;
  /** The quota of concurrent Lambda executions of the account. The alarm before it is at 80 %. Default: 1,000. */
  readonly lambdaConcurrency?: number;
  /** The lock of the objects in the trail. Default: none. */
  readonly trailLock?: PlatTrailLock;
}

/** Properties of `PlatEnvironment`. All have a default. */
export interface PlatEnvironmentProps extends PlatServiceProps {
  /** The data, such as that of another stack of the app, in the same account and Region. Default: the environment makes its own. */
  readonly data?: IPlatData;
  /** Encrypts tables, trail, queues, topic, bus and logs. Default: the keys that AWS has for each. */
  readonly encryptionKey?: IKey;
}

/** The reach of a grant. */
export interface PlatGrantOptions {
  /** The space in which the grantee may call. Default: every space. */
  readonly space?: string;
}

/** The options of a grant. A space that is there and undefined is an error, because a grant in every space would take its place. */
const GRANT_OPTIONS = fields({ space: v.exactOptional(spaceName) });

/** The settings of a deployment that an environment in one stack cannot have, or has by other means. */
const OF_STAGES: ReadonlySet<string> = new Set([
  "account",
  "region",
  "regions",
  "tableName",
  "customerManagedKey",
  "spaces",
  "api",
]);

/** The settings that it can have, and its properties beside them. */
const SETTINGS = Object.keys(deployment.entries).filter((name) => !OF_STAGES.has(name));
const OWN = ["protection", "data", "encryptionKey"];

const NO_DATA = "data must be a PlatData, or PlatData.fromAttributes(…)";

const MARK = Symbol.for("plat-ipam.PlatEnvironment");

/**
 * An environment of Plat, all in the stack of its scope: table, history and trail, functions, API, schedules, events and
 * alarms. Physical names begin with the name of the stack, but for that of the bus, so a stack has one environment. It is
 * not nested, because AWS makes the name of a nested stack.
 */
export class PlatEnvironment extends Construct {
  /** The URL of the API. */
  readonly endpoint: string;
  readonly apiId: string;
  /** The table. Nobody but Plat may write it. */
  readonly table: ITable;
  /** The table of the past, for questions about it. */
  readonly history: ITable;
  /** The audit trail. */
  readonly trailBucket: IBucket;
  /** The bus with an event for each change. */
  readonly eventBus: IEventBus;
  /** The queue from which Plat takes events of other systems. */
  readonly eventQueue: IQueue;
  /** Gets each alarm; it has no subscriber at first. */
  readonly alarmTopic: ITopic;
  readonly alarms: IAlarm[];
  readonly #service: Service;
  readonly #stageName: string;
  readonly #stage: StageMetrics;
  readonly #access: PlatAccess["type"];

  /** @throws {Error} if a property is wrong, or if the stack has an environment already; the message names it */
  constructor(scope: Construct, id: string, props: PlatEnvironmentProps = {}) {
    super(scope, id);
    pinFlags(this);
    Object.defineProperty(this, MARK, { value: true });
    const stack = Stack.of(this);
    const other = stack.node.findAll().find((one) => one !== this && MARK in one);
    if (other)
      throw new Error(
        `The stack ${stack.stackName} has an environment of Plat already, ${other.node.path}. Give ${this.node.path} a stack of its own: names in AWS begin with that of the stack.`,
      );
    const { protection: named, encryptionKey, data, ...settings } = props;
    const protection = protectionOf(this, named);
    const elsewhere = Object.keys(settings).find((name) => OF_STAGES.has(name));
    if (elsewhere !== undefined)
      throw this.#wrong(
        `${elsewhere} is no property of an environment in one stack: PlatStage has it`,
      );
    const unknown = Object.keys(settings).find((name) => !SETTINGS.includes(name));
    if (unknown !== undefined)
      throw this.#wrong(`${unknown} is no property; known are ${[...OWN, ...SETTINGS].join(", ")}`);
    const read = readProps(this, deployment, settings);
    const [problem] = read.domain ? certificateProblems(read.domain, stack.region) : [];
    if (problem) throw this.#wrong(`${problem.field} ${problem.problem}`);
    if (data && read.trailLock)
      throw this.#wrong("trailLock must be absent beside data: it is a property of PlatData");
    const environment = environmentOf(protection, read);
    const access = read.access ?? ({ type: "iam" } as const);

    const { table, history, trailBucket } =
      data ??
      new PlatData(this, UNNAMED, {
        protection,
        ...(read.trailLock && { trailLock: read.trailLock }),
      });
    const streamArn = table?.tableStreamArn;
    if (!streamArn || !history || !trailBucket) throw this.#wrong(NO_DATA);
    const service = new Service(this, "Service", {
      environment,
      table,
      trail: { history, bucket: trailBucket },
      streamArn,
      lambdaConcurrency: read.lambdaConcurrency,
      access,
      domain: read.domain,
      dashboard: read.dashboard,
      alarmLevel: read.alarms,
      ...(read.publicHealth && { publicHealth: true }),
      ...(read.console && { console: read.console }),
      ...(read.probe && { probe: true }),
      ...(read.rollout && { rollout: read.rollout }),
    });
    if (read.tracing === "xray") Aspects.of(this).add(new Traced());
    encryptWith(encryptionKey, this);
    this.#service = service;
    this.endpoint = service.endpoint;
    this.apiId = service.apiId;
    this.table = table;
    this.history = history;
    this.trailBucket = trailBucket;
    // The CDK's own classes do not pass exactOptionalPropertyTypes.
    this.eventBus = service.bus as IEventBus;
    this.eventQueue = service.eventQueue;
    this.alarmTopic = service.alarms.topic;
    this.alarms = service.alarms.all;
    this.#stageName = service.stageName;
    this.#stage = service.stage;
    this.#access = access.type;
  }

  /**
   * Returns the API as the other constructs take it: `new PlatPool(stack, "Lan", { api: plat.api(), … })`.
   *
   * @param space the address space; `default` unless named
   * @throws {Error} unless callers are authorized by IAM, as the functions of those constructs are
   */
  api(space?: string): PlatApi {
    this.#rejectTokens("pools, addresses and prefixes of CloudFormation");
    if (space !== undefined) readProps(this, GRANT_OPTIONS, { space });
    const id = `Api${space === undefined ? "" : `-${space}`}`;
    const known = this.node.tryFindChild(id) as PlatApi | undefined;
    if (known) return known;
    const { apiId, endpoint } = this;
    const api = new PlatApi(this, id, { apiId, endpoint, ...(space !== undefined && { space }) });
    api.node.addDependency(this.#whole());
    return api;
  }

  /** Lets a principal read. @throws {Error} unless callers are authorized by IAM */
  grantRead(grantee: IGrantable, options: PlatGrantOptions = {}): Grant {
    return this.#grant("PlatReader", grantee, options);
  }

  /** Lets a principal read, assign and release. @throws {Error} unless callers are authorized by IAM */
  grantAssign(grantee: IGrantable, options: PlatGrantOptions = {}): Grant {
    return this.#grant("PlatCaller", grantee, options);
  }

  /**
   * Lets a principal tell of a cluster, as plat-controller does, beside what `grantAssign` allows. Name the space of the
   * cluster: without it, CiliumNodes, namespaces and applications are those of `default` only.
   *
   * @throws {Error} unless callers are authorized by IAM
   */
  grantCluster(grantee: IGrantable, options: PlatGrantOptions = {}): Grant {
    return this.#grant("PlatCluster", grantee, options);
  }

  /** Lets a principal do everything. @throws {Error} unless callers are authorized by IAM */
  grantOperate(grantee: IGrantable, options: PlatGrantOptions = {}): Grant {
    return this.#grant("PlatOperator", grantee, options);
  }

  /** Lets a principal send events of other systems, such as those of instances. */
  grantSendEvents(grantee: IGrantable): Grant {
    return this.eventQueue.grantSendMessages(grantee);
  }

  /** Returns the number of requests. */
  metricRequests(options: MetricOptions = {}): Metric {
    return this.#stage.metricCount({ period: EACH_5_MINUTES, ...options });
  }

  /** Returns the number of answers of 500 or above. */
  metricServerErrors(options: MetricOptions = {}): Metric {
    return this.#stage.metricServerError({ period: EACH_5_MINUTES, ...options });
  }

  /** Returns the time of requests at the API, in ms: the 99th percentile, unless another statistic is named. */
  metricLatency(options: MetricOptions = {}): Metric {
    return this.#stage.metricLatency({ statistic: "p99", period: EACH_5_MINUTES, ...options });
  }

  /** Returns the share of the fullest pool that cannot be assigned now, in percent. */
  metricPoolUse(options: MetricOptions = {}): Metric {
    return this.metric("PoolUse", { statistic: Stats.MAXIMUM, ...options });
  }

  /** Returns the hours until the first pool is full, as they are forecast. Without a forecast it has no value. */
  metricHoursUntilExhausted(options: MetricOptions = {}): Metric {
    return this.metric("HoursUntilExhausted", { statistic: Stats.MINIMUM, ...options });
  }

  /**
   * Returns another metric that the functions write.
   *
   * @param metricName such as `Conflicts`, as docs/observability.md lists them
   * @param options its statistic, and in `dimensionsMap` its dimensions but for `service`
   */
  metric(metricName: string, options: MetricOptions = {}): Metric {
    const { dimensionsMap: dimensions = {}, statistic = Stats.SUM, ...rest } = options;
    const of = { dimensions, statistic, period: EACH_15_MINUTES };
    return ownMetric(this, metricName, of).with(rest);
  }

  #grant(role: CallerRole, grantee: IGrantable, options: PlatGrantOptions): Grant {
    this.#rejectTokens("grants");
    const { space } = readProps(this, GRANT_OPTIONS, options);
    const calls = space === undefined ? callsInEverySpace(role, []) : callsInSpace(role, space);
    return Grant.addToPrincipal({
      grantee,
      actions: ["execute-api:Invoke"],
      resourceArns: calls.map((call) =>
        Stack.of(this).formatArn({
          service: "execute-api",
          resource: `${this.apiId}/${this.#stageName}`,
          resourceName: call,
          arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
        }),
      ),
    });
  }

  /**
   * Returns a resource that CloudFormation makes after all that serves, and deletes before it. A pool in the stack of its environment needs
   * stage, permissions and scheduled runs, and its functions name this one resource in place of all of them.
   */
  #whole(): IDependable {
    const known = this.node.tryFindChild("Whole");
    if (known) return known;
    const whole = new CfnWaitConditionHandle(this, "Whole");
    whole.node.addDependency(this.#service);
    return whole;
  }

  #rejectTokens(what: string): void {
    if (this.#access === "iam") return;
    throw this.#wrong(
      `access is "${this.#access}", whose callers have their roles in their tokens; ${what} are for access of the type "iam"`,
    );
  }

  #wrong(sentence: string): Error {
    return wrong(this, sentence);
  }
}
