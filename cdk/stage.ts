import { Stage } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { ENVIRONMENTS, type EnvironmentName, stageName } from "./environments.ts";
import { StatefulStack } from "./stateful-stack.ts";
import { StatelessStack } from "./stateless-stack.ts";

/** One deployment of everything, in whichever account and region the caller's credentials point at. */
export class PlatStage extends Stage {
  readonly stateful: StatefulStack;
  readonly stateless: StatelessStack;

  constructor(scope: Construct, name: EnvironmentName) {
    super(scope, stageName(name));
    const environment = ENVIRONMENTS[name];
    this.stateful = new StatefulStack(this, "stateful", { environment });
    this.stateless = new StatelessStack(this, "stateless", {
      environment,
      table: this.stateful.table,
    });
  }
}
