import { Stack } from "aws-cdk-lib";
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import { CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";

export interface WebAclProps {
  readonly stage: Stage;
  /** The action for requests that AWS' common rules match. */
  readonly commonRules: "count" | "block";
}

/** A third of what the stage takes: one address cannot use it up. WAF counts over five minutes. */
const REQUESTS_PER_ADDRESS_MAX = 100_000;
const WINDOW_SECONDS = 300;

/**
 * The web ACL of a stage: a rate for each address, which always blocks, and AWS' common rules
 * (https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html).
 */
export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, { stage, commonRules }: WebAclProps) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    const seenAs = (metric: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName: `${stackName}-${metric}`,
      // A sample shows paths and headers of callers.
      sampledRequestsEnabled: false,
    });
    const acl = new CfnWebACL(this, "Acl", {
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      visibilityConfig: seenAs("WebAcl"),
      rules: [
        {
          name: "Rate",
          priority: 0,
          action: { block: {} },
          statement: {
            rateBasedStatement: {
              aggregateKeyType: "IP",
              limit: REQUESTS_PER_ADDRESS_MAX,
              evaluationWindowSec: WINDOW_SECONDS,
            },
          },
          visibilityConfig: seenAs("Rate"),
        },
        {
          name: "CommonRules",
          priority: 1,
          overrideAction: commonRules === "count" ? { count: {} } : { none: {} },
          statement: {
            managedRuleGroupStatement: { vendorName: "AWS", name: "AWSManagedRulesCommonRuleSet" },
          },
          visibilityConfig: seenAs("CommonRules"),
        },
      ],
    });
    new CfnWebACLAssociation(this, "Association", {
      webAclArn: acl.attrArn,
      resourceArn: stage.stageArn,
    });
  }
}
