import { Aspects, CfnRule, Fn, type Stack, Stage } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { readProps } from "../src/constructs/props.ts";
import { contextKey, type Deployment, deployment, readDeployment } from "./deployment.ts";
import { EncryptedWith } from "./encrypted-with.ts";
import {
  ENVIRONMENTS,
  type EnvironmentName,
  environmentOf,
  protectionOf,
  stackId,
  stageName,
} from "./environments.ts";
import { pinFlags } from "./flags.ts";
import { KeyStack } from "./key-stack.ts";
import type { PlatServiceProps } from "./plat-environment.ts";
import { servingRegions } from "./regions.ts";
import { StatefulStack, StatelessStack, TrailStack } from "./stacks.ts";
import { Traced } from "./traced.ts";

/** The Regions of an environment: with its own, three of one set among which DynamoDB has strong consistency. */
export interface PlatRegions {
  /** Further Regions that serve requests: two, or one beside a witness. */
  readonly replicas: string[];
  /** A Region that stores writes and serves no requests. */
  readonly witness?: string;
  /** The Region whose schedules run, and that publishes. */
  readonly active: string;
}

/** The limits of a token bucket: requests in a second, and requests at once. */
export interface PlatThrottle {
  readonly rateLimit: number;
  readonly burstLimit: number;
}

/** The limits of some callers of a private API, whom API Gateway knows by their keys. */
export interface PlatUsagePlan {
  readonly name: string;
  /** The names of the keys; API Gateway makes their values. */
  readonly keys: string[];
  readonly throttle: PlatThrottle;
  /** The limits of single routes, by their keys, such as `POST /v1/assign`. Default: none. */
  readonly routes?: Record<string, PlatThrottle>;
  /** Default: none. */
  readonly quota?: { readonly limit: number; readonly period: "DAY" | "WEEK" | "MONTH" };
}

/** The kind of API: an HTTP API, or a private REST API. */
export type PlatApiKind =
  | { readonly type: "http" }
  | {
      readonly type: "private";
      /** The endpoints of VPCs for `execute-api`, through which callers come. */
      readonly vpcEndpointIds: string[];
      /** The action for requests that AWS' common rules match. Default: no web ACL. */
      readonly webAcl?: "count" | "block";
      /** Default: none. */
      readonly usagePlans?: PlatUsagePlan[];
    };

/** Properties of `PlatStage`. All have a default, and a deployment needs `account` and `region`. */
export interface PlatStageProps extends PlatServiceProps {
  /** The account. A deployment to any other account fails. */
  readonly account?: string;
  readonly region?: string;
  /** Further Regions. Choose them before the first deployment. Default: none. */
  readonly regions?: PlatRegions;
  /** The name of a table that there is, such as a restored one. Default: the stage makes one. */
  readonly tableName?: string;
  /** True if a key of KMS encrypts tables, trail, queues, topics, bus and logs. Default: false. */
  readonly customerManagedKey?: boolean;
  /** Spaces with managed policies of their own. Default: none. */
  readonly spaces?: string[];
  /** Default: `{ type: "http" }`. */
  readonly api?: PlatApiKind;
}

/** Returns the stage that the context of an app describes, as `npm run deploy` deploys it. */
export const stageOfContext = (scope: Construct, name: EnvironmentName): PlatStage =>
  new PlatStage(scope, stageName(name), {
    protection: name,
    ...(readDeployment(name, scope.node.tryGetContext(contextKey(name))) as PlatStageProps),
  });

/** An environment as stacks of its own: the table, what is kept of changes, and what serves, in one Region or more. */
export class PlatStage extends Stage {
  /** The stack with the table; absent if there is one. An earlier deployment of it stays unchanged. */
  readonly stateful?: Stack;
  /** The history and the trail, in the first Region. */
  readonly trail: Stack;
  /** The stack that serves in the first Region. Its outputs are `Endpoint`, `AlarmTopic`, `EventQueue` and `EventBus`. */
  readonly stateless: Stack;
  /** The stacks that serve in further Regions, by their Region. */
  readonly replicas: ReadonlyMap<string, Stack>;
  /** The history and the trail in further Regions, by their Region. */
  readonly trails: ReadonlyMap<string, Stack>;
  /** The stack with the key; absent unless the environment has a customer managed key. */
  readonly key?: Stack;
  readonly #settings: Deployment;
  readonly #protection: EnvironmentName;
  readonly #table?: StatefulStack["table"];

  /** @throws {Error} if a property is wrong; the message names it */
  constructor(scope: Construct, id: string, props: PlatStageProps = {}) {
    const { account, region } = props;
    super(scope, id, { ...(account && region && { env: { account, region } }) });
    pinFlags(this);
    const { protection, ...settings } = props;
    this.#protection = protectionOf(this, protection);
    this.#settings = readProps(this, deployment, settings);
    const { tableName, regions, customerManagedKey } = this.#settings;
    if (tableName === undefined) {
      const stateful = new StatefulStack(this, "stateful", {
        environment: ENVIRONMENTS[this.#protection],
        ...(regions && { regions: { ...regions, tableName: this.stageName } }),
      });
      this.stateful = stateful;
      this.#table = stateful.table;
    }
    const trail = this.#keeping(region);
    this.trail = trail;
    this.stateless = this.#serving(region, trail);
    const trails = new Map(
      regions?.replicas.map((replica) => [replica, this.#keeping(replica)] as const),
    );
    this.trails = trails;
    this.replicas = new Map(
      [...trails].map(([replica, trail]) => [replica, this.#serving(replica, trail)]),
    );
    const stacks = [
      ...[this.stateful, this.trail, this.stateless],
      ...this.trails.values(),
      ...this.replicas.values(),
    ];
    if (customerManagedKey) this.key = this.#encrypted();
    if (account === undefined)
      for (const stack of [this.key, ...stacks])
        if (stack) rejectDeployment(stack, `name account and region of ${this.stageName}`);
  }

  /** Encrypts the stacks of each Region with a key of that Region. Returns the stack of the first key. */
  #encrypted(): KeyStack {
    const { account, regions } = this.#settings;
    const environment = ENVIRONMENTS[this.#protection];
    const alias = this.stageName;
    const table = regions && { replicas: 1 + regions.replicas.length, alias };
    const key = new KeyStack(this, "key", { environment, ...(regions && { alias }) });
    for (const stack of [this.stateful, this.trail, this.stateless])
      if (stack) Aspects.of(stack).add(new EncryptedWith(key.key, table));
    deployAfter(key, this.stateful);
    deployAfter(key, this.trail);
    for (const [replica, stack] of this.replicas) {
      const env = { account: String(account), region: replica };
      const replicaKey = new KeyStack(this, `key-${replica}`, { environment, alias, env });
      for (const one of [stack, this.trails.get(replica)])
        if (one) Aspects.of(one).add(new EncryptedWith(replicaKey.key));
      deployAfter(replicaKey, this.stateful);
      deployAfter(replicaKey, this.trail);
    }
    return key;
  }

  /** Makes the stack with the history and the trail in a Region. The history of the first Region has the replicas. */
  #keeping(region: string | undefined): TrailStack {
    const { account, region: home, regions, trailLock: lock } = this.#settings;
    const isHome = region === home;
    const historyName = `${this.stageName}-history`;
    return new TrailStack(this, stackId("trail", region, home), {
      environment: ENVIRONMENTS[this.#protection],
      lock,
      ...(regions && {
        regions: { historyName, ...(isHome && { replicas: regions.replicas }) },
      }),
      ...(!isHome && account && region && { env: { account, region } }),
    });
  }

  /**
   * Makes the stack that serves requests in a Region. Only that of the active Region runs the schedules and publishes.
   */
  #serving(region: string | undefined, trail: TrailStack): StatelessStack {
    const {
      account,
      region: home,
      regions,
      tableName,
      spaces,
      rollout,
      lambdaConcurrency,
      dashboard,
      alarms,
      tracing,
      probe,
      publicHealth,
      access,
      api,
      console,
      domain,
    } = this.#settings;
    const isHome = region === home;
    const active = regions === undefined || regions.active === region;
    const table = isHome ? this.#table : undefined;
    const stack = new StatelessStack(this, stackId("stateless", region, home), {
      environment: environmentOf(this.#protection, this.#settings),
      table: table ?? tableName ?? this.stageName,
      trail,
      ...(table?.tableStreamArn !== undefined && { streamArn: table.tableStreamArn }),
      spaces,
      active,
      ...(regions && {
        otherRegions: servingRegions(String(home), regions).filter((other) => other !== region),
      }),
      lambdaConcurrency,
      dashboard,
      alarmLevel: alarms,
      access: access ?? { type: "iam" },
      domain,
      ...(api?.type === "private" && { privateApi: api }),
      ...(publicHealth && { publicHealth }),
      ...(console && { console }),
      ...(probe && { probe }),
      ...(rollout && { rollout }),
      ...(!isHome &&
        account &&
        region && {
          env: { account, region },
          home: { region: String(home), stackName: this.stateless.stackName },
        }),
    });
    if (tracing === "xray") Aspects.of(stack).add(new Traced());
    if (!isHome && this.stateful) deployAfter(this.stateful, stack);
    return stack;
  }
}

/** Lets a stack be deployed after another one. The oldest versions of the CDK have one name for it, and the newest warn of that. */
function deployAfter(first: Stack, later: Stack | undefined): void {
  if (!later) return;
  if ("addStackDependency" in later) later.addStackDependency(first);
  else (later as Stack).addDependency(first);
}

/**
 * Adds a rule that CloudFormation evaluates to false before it creates anything. So a bare `cdk deploy` fails with any
 * credentials.
 */
function rejectDeployment(scope: Stack, assertDescription: string): void {
  // Not `conditionEquals`, because cfn-lint warns if that is never true.
  const never = Fn.conditionContains(["an account"], "no account");
  new CfnRule(scope, "AccountIsNamed", { assertions: [{ assert: never, assertDescription }] });
}
