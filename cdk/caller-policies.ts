import { ArnFormat, CfnOutput, Stack } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { CALLER_ROLES, callsInEverySpace, callsInSpace } from "./callers.ts";

export interface CallerPoliciesProps {
  readonly apiId: string;
  readonly stageName: string;
  /** The spaces that have policies of their own. */
  readonly spaces: readonly string[];
}

/** The managed policies that an operator attaches to callers of the API, each with its ARN as an output. */
export class CallerPolicies extends Construct {
  constructor(scope: Construct, id: string, { apiId, stageName, spaces }: CallerPoliciesProps) {
    super(scope, id);
    const stage = `${apiId}/${stageName}`;
    for (const role of CALLER_ROLES) {
      this.policy(role, stage, callsInEverySpace(role, spaces), "in every space");
      for (const space of spaces)
        this.policy(`${role}-${space}`, stage, callsInSpace(role, space), `in the space ${space}`);
    }
  }

  private policy(name: string, stage: string, calls: readonly string[], where: string): void {
    const resources = calls.map((call) =>
      Stack.of(this).formatArn({
        service: "execute-api",
        resource: stage,
        resourceName: call,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      }),
    );
    const policy = new ManagedPolicy(this, name, {
      description: `${name} of ${Stack.of(this).stackName}: calls of its API ${where}.`,
      statements: [new PolicyStatement({ actions: ["execute-api:Invoke"], resources })],
    });
    new CfnOutput(this, `${name}Arn`, { value: policy.managedPolicyArn });
  }
}
