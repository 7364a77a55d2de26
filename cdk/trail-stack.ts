import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { UNNAMED } from "./environments.ts";
import { Kept, type KeptProps } from "./kept.ts";
import type { TableReference } from "./table.ts";

export interface TrailStackProps extends KeptProps {
  readonly env?: StackProps["env"];
}

/**
 * The stack with what is kept of changes. It is a stack of its own, because an environment with a restored table has no
 * stateful stack, and its past is still the same.
 */
export class TrailStack extends Stack {
  readonly history: TableReference;
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { env, ...props }: TrailStackProps) {
    super(scope, id, { ...(env && { env }) });
    const { history, bucket } = new Kept(this, UNNAMED, props);
    this.history = history;
    this.bucket = bucket;
    new CfnOutput(this, "TrailBucket", { value: bucket.bucketName });
  }
}
