import type { Construct } from "constructs";

/** The flags of the CDK that change templates of Plat, with the values that the templates are made and tested with. */
const FLAGS = {
  // A weak reference would let CloudFormation remove the stack of the table under its users.
  "@aws-cdk/core:defaultCrossStackReferences": "strong",
  "@aws-cdk/aws-iam:minimizePolicies": false,
  // It gives every version of a function another logical id.
  "@aws-cdk/aws-lambda:recognizeLayerVersion": false,
} as const;

/**
 * Gives a construct, which has no children yet, the flags of Plat, whatever an app has in its `cdk.json`. The CDK reads the
 * first two at the stack: in a stack of somebody else they are those of the app.
 */
export function pinFlags(construct: Construct): void {
  for (const [flag, value] of Object.entries(FLAGS)) construct.node.setContext(flag, value);
}
