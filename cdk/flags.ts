import type { Stage } from "aws-cdk-lib";

/** The flags of the CDK that change templates of Plat, with the values that the templates are made and tested with. */
const FLAGS = {
  // A weak reference would let CloudFormation remove the stack of the table under its users.
  "@aws-cdk/core:defaultCrossStackReferences": "strong",
  "@aws-cdk/aws-iam:minimizePolicies": false,
} as const;

/** Gives a stage, which has no children yet, the flags of Plat, whatever an app has in its `cdk.json`. */
export function pinFlags(stage: Stage): void {
  for (const [flag, value] of Object.entries(FLAGS)) stage.node.setContext(flag, value);
}
