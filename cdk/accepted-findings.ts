import type { Deployment } from "./deployment.ts";

/** A finding of a rule checker about the templates that is accepted, and the reason. */
interface AcceptedFinding {
  readonly tool: "cdk-nag" | "cfn-lint";
  /** The rule; for cdk-nag without its part in brackets, which names the finding. */
  readonly rule: string;
  /** The place: for cdk-nag the path of the construct within its environment, for cfn-lint the type of the resource. */
  readonly at: string;
  readonly reason: string;
  /** The choice of an environment that causes it; absent if every environment has it. */
  readonly choice?: keyof Deployment;
}

/**
 * Every accepted finding, in both environments and with every choice. A test fails for a finding that is missing here, and for an entry
 * without a finding.
 */
const ACCEPTED: readonly AcceptedFinding[] = [
  {
    tool: "cdk-nag",
    rule: "AwsSolutions-SQS3",
    at: "stateless/Default/Schedules/DeadLetterQueue/Resource",
    reason:
      "This queue is the dead-letter queue, of Scheduler and of Lambda; the rule knows only those that another queue names.",
  },
  {
    tool: "cdk-nag",
    rule: "AwsSolutions-SQS3",
    at: "stateless/Default/Publishing/DeadLetterQueue/Resource",
    reason:
      "This queue is the dead-letter queue, of a stream; the rule knows only those that another queue names.",
  },
  {
    tool: "cdk-nag",
    rule: "AwsSolutions-S1",
    at: "trail/Default/Trail/Bucket/Resource",
    reason:
      "One function writes the bucket. Data events of CloudTrail tell who reads it; an access log would need a bucket with the same finding.",
  },
  {
    tool: "cdk-nag",
    rule: "AwsSolutions-IAM5",
    at: "stateless/Default/publish/Role/DefaultPolicy/Resource",
    reason: "The wildcard stands for the names of objects in the bucket of the trail.",
  },
  ...["PlatReader", "PlatCaller", "PlatCluster", "PlatOperator"].map((role) => ({
    tool: "cdk-nag" as const,
    rule: "AwsSolutions-IAM5",
    at: `stateless/Default/Callers/${role}/Resource`,
    reason:
      "Its wildcards stand for what a path names, such as an address. What each of them matches is held against every route by a test.",
  })),
  {
    tool: "cdk-nag",
    rule: "AwsSolutions-APIG2",
    at: "stateless/Default/Api/RestApi/Resource",
    reason:
      "The functions validate every request by the schemas of the OpenAPI document, and answer with the field that is wrong.",
    choice: "api",
  },
  {
    tool: "cdk-nag",
    rule: "AwsSolutions-APIG3",
    at: "stateless/Default/Api/Stage/Resource",
    reason:
      "A web ACL is a choice of its own, because it has a price and its common rules match valid requests.",
    choice: "api",
  },
  {
    tool: "cdk-nag",
    rule: "AwsSolutions-APIG6",
    at: "stateless/Default/Api/Stage/Resource",
    reason:
      "An execution log would contain paths, and so names of callers. The access log has a line for each request.",
    choice: "api",
  },
  {
    tool: "cdk-nag",
    rule: "AwsSolutions-IAM4",
    at: "stateless/Default/Api/RestApi/CloudWatchRole/Resource",
    reason:
      "API Gateway asks for the policy of AWS that lets it write logs; the role is one for all its APIs in the Region.",
    choice: "api",
  },
  {
    tool: "cfn-lint",
    rule: "W3005",
    at: "AWS::Lambda::Function",
    reason:
      "The CDK lets each function depend on its role as well as on its role's policy; the first is redundant and does no harm.",
  },
  {
    tool: "cfn-lint",
    rule: "W3005",
    at: "AWS::CodeDeploy::DeploymentGroup",
    reason:
      "Each deployment group depends on its role as well as on its role's policy; the first is redundant and does no harm.",
    choice: "rollout",
  },
];

/** Returns the accepted findings of a tool. */
export function acceptedFindings(tool: AcceptedFinding["tool"]): AcceptedFinding[] {
  return ACCEPTED.filter((finding) => finding.tool === tool);
}
