import { Aspects, CfnRule, Fn, type Stack, Stage } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { contextKey, type Deployment, readDeployment } from "./deployment.ts";
import { EncryptedWith } from "./encrypted-with.ts";
import {
  ENVIRONMENTS,
  type EnvironmentName,
  environmentOf,
  stackId,
  stageName,
} from "./environments.ts";
import { pinFlags } from "./flags.ts";
import { KeyStack } from "./key-stack.ts";
import { servingRegions } from "./regions.ts";
import { StatefulStack } from "./stateful-stack.ts";
import { StatelessStack } from "./stateless-stack.ts";
import { Traced } from "./traced.ts";
import { TrailStack } from "./trail-stack.ts";

/** One deployment of all stacks, in the account and the Regions of the context. */
export class PlatStage extends Stage {
  /** Absent if an existing table is used; an earlier deployment of it stays unchanged. */
  readonly stateful?: StatefulStack;
  /** The history and the trail, in the first Region. */
  readonly trail: TrailStack;
  readonly stateless: StatelessStack;
  /** The stateless stacks of further Regions, by their Region. */
  readonly replicas: ReadonlyMap<string, StatelessStack>;
  /** The history and the trail in further Regions, by their Region. */
  readonly trails: ReadonlyMap<string, TrailStack>;
  /** Absent unless the environment has a customer managed key. */
  readonly key?: KeyStack;

  constructor(scope: Construct, name: EnvironmentName) {
    const deployment = readDeployment(name, scope.node.tryGetContext(contextKey(name)));
    const { account, region, tableName, regions, customerManagedKey } = deployment;
    super(scope, stageName(name), { ...(account && region && { env: { account, region } }) });
    pinFlags(this);
    const environment = ENVIRONMENTS[name];
    if (tableName === undefined)
      this.stateful = new StatefulStack(this, "stateful", {
        environment,
        ...(regions && { regions: { ...regions, tableName: stageName(name) } }),
      });
    this.trail = this.#keeping(name, deployment, region);
    this.stateless = this.#serving(name, deployment, region, this.trail);
    this.trails = new Map(
      regions?.replicas.map((replica) => [replica, this.#keeping(name, deployment, replica)]),
    );
    this.replicas = new Map(
      [...this.trails].map(([replica, trail]) => [
        replica,
        this.#serving(name, deployment, replica, trail),
      ]),
    );
    const stacks = [
      ...[this.stateful, this.trail, this.stateless],
      ...this.trails.values(),
      ...this.replicas.values(),
    ];
    if (customerManagedKey) this.key = this.#encrypted(name, deployment);
    if (account === undefined)
      for (const stack of [this.key, ...stacks])
        if (stack)
          rejectDeployment(
            stack,
            `name account and region of ${contextKey(name)} in cdk.context.json`,
          );
  }

  /** Encrypts the stacks of each Region with a key of that Region. Returns the stack of the first key. */
  #encrypted(name: EnvironmentName, { account, regions }: Deployment): KeyStack {
    const environment = ENVIRONMENTS[name];
    const alias = stageName(name);
    const table = regions && { replicas: 1 + regions.replicas.length, alias };
    const key = new KeyStack(this, "key", { environment, ...(regions && { alias }) });
    for (const stack of [this.stateful, this.trail, this.stateless])
      if (stack) Aspects.of(stack).add(new EncryptedWith(key.key, table));
    this.stateful?.addStackDependency(key);
    this.trail.addStackDependency(key);
    for (const [replica, stack] of this.replicas) {
      const env = { account: String(account), region: replica };
      const replicaKey = new KeyStack(this, `key-${replica}`, { environment, alias, env });
      for (const one of [stack, this.trails.get(replica)])
        if (one) Aspects.of(one).add(new EncryptedWith(replicaKey.key));
      this.stateful?.addStackDependency(replicaKey);
      this.trail.addStackDependency(replicaKey);
    }
    return key;
  }

  /** Makes the stack with the history and the trail in a Region. The history of the first Region has the replicas. */
  #keeping(name: EnvironmentName, deployment: Deployment, region: string | undefined): TrailStack {
    const { account, regions, trailLock: lock } = deployment;
    const isHome = region === deployment.region;
    const historyName = `${stageName(name)}-history`;
    return new TrailStack(this, stackId("trail", region, deployment.region), {
      environment: ENVIRONMENTS[name],
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
  #serving(
    name: EnvironmentName,
    deployment: Deployment,
    region: string | undefined,
    trail: TrailStack,
  ) {
    const {
      account,
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
    } = deployment;
    const isHome = region === deployment.region;
    const active = regions === undefined || regions.active === region;
    const table = isHome ? this.stateful?.table : undefined;
    const stack = new StatelessStack(this, stackId("stateless", region, deployment.region), {
      environment: environmentOf(name, deployment),
      table: table ?? tableName ?? stageName(name),
      trail,
      ...(table?.tableStreamArn !== undefined && { streamArn: table.tableStreamArn }),
      spaces,
      active,
      ...(regions && {
        otherRegions: servingRegions(String(deployment.region), regions).filter(
          (other) => other !== region,
        ),
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
      ...(!isHome && account && region && { env: { account, region } }),
    });
    if (tracing === "xray") Aspects.of(stack).add(new Traced());
    if (!isHome && this.stateful) stack.addStackDependency(this.stateful);
    return stack;
  }
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
