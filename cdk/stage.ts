import { Aspects, CfnRule, Fn, Stage } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { contextKey, readDeployment } from "./deployment.ts";
import { EncryptedWith } from "./encrypted-with.ts";
import { ENVIRONMENTS, type EnvironmentName, stageName } from "./environments.ts";
import { KeyStack } from "./key-stack.ts";
import { StatefulStack } from "./stateful-stack.ts";
import { StatelessStack } from "./stateless-stack.ts";

/** One deployment of all stacks, in the account and the Region of the context. */
export class PlatStage extends Stage {
  /** Absent if an existing table is used; an earlier deployment of it stays unchanged. */
  readonly stateful?: StatefulStack;
  readonly stateless: StatelessStack;
  /** Absent unless the environment has a customer managed key. */
  readonly key?: KeyStack;

  constructor(scope: Construct, name: EnvironmentName) {
    const { account, region, tableName, spaces, customerManagedKey, rollout } = readDeployment(
      name,
      scope.node.tryGetContext(contextKey(name)),
    );
    super(scope, stageName(name), { ...(account && region && { env: { account, region } }) });
    const environment = ENVIRONMENTS[name];
    if (tableName === undefined)
      this.stateful = new StatefulStack(this, "stateful", { environment });
    this.stateless = new StatelessStack(this, "stateless", {
      environment,
      table: this.stateful?.table ?? String(tableName),
      spaces,
      ...(rollout && { rollout }),
    });
    if (customerManagedKey) {
      this.key = new KeyStack(this, "key", { environment });
      for (const stack of [this.stateful, this.stateless])
        if (stack) Aspects.of(stack).add(new EncryptedWith(this.key.key));
    }
    if (account === undefined)
      for (const stack of [this.key, this.stateful, this.stateless])
        if (stack)
          rejectDeployment(
            stack,
            `name account and region of ${contextKey(name)} in cdk.context.json`,
          );
  }
}

/**
 * Adds a rule that CloudFormation evaluates to false before it creates anything. So a bare `cdk deploy` fails with any
 * credentials.
 */
function rejectDeployment(scope: Construct, assertDescription: string): void {
  // Not `conditionEquals`, because cfn-lint warns if that is never true.
  const never = Fn.conditionContains(["an account"], "no account");
  new CfnRule(scope, "AccountIsNamed", { assertions: [{ assert: never, assertDescription }] });
}
