import { ArnFormat, CfnOutput, Stack } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { CALLER_ROLES, callsInEverySpace, callsInSpace } from "./callers.ts";

export interface CallerPoliciesProps {
  readonly apiId: string;
  /** The spaces that have policies of their own. */
  readonly spaces: readonly string[];
}

/** The managed policies that an operator attaches to callers of the API, each with its ARN as an output. */
export class CallerPolicies extends Construct {
  constructor(scope: Construct, id: string, { apiId, spaces }: CallerPoliciesProps) {
    super(scope, id);
    for (const role of CALLER_ROLES) {
      this.policy(role, apiId, callsInEverySpace(role, spaces), "in every space");
      for (const space of spaces)
        this.policy(`${role}-${space}`, apiId, callsInSpace(role, space), `in the space ${space}`);
    }
  }

  private policy(name: string, apiId: string, calls: readonly string[], where: string): void {
    const resources = calls.map((call) =>
      Stack.of(this).formatArn({
        service: "execute-api",
        resource: apiId,
        resourceName: `$default/${call}`,
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
