import { CfnOutput } from "aws-cdk-lib";
import {
  CfnApiMapping,
  DomainName,
  type HttpStage,
  SecurityPolicy,
} from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { CfnRecordSet } from "aws-cdk-lib/aws-route53";
import { Construct } from "constructs";
import type { DomainChoice } from "./domain-choice.ts";

export interface DomainProps {
  readonly domain: DomainChoice;
  readonly apiId: string;
  readonly stage: HttpStage;
}

/**
 * The domain name of the API, which stays the same when the stack is created anew. Its record is in the hosted zone, if
 * there is one. Otherwise the output `DomainTarget` is the name to which a CNAME record must point.
 */
export class Domain extends Construct {
  constructor(scope: Construct, id: string, { domain, apiId, stage }: DomainProps) {
    super(scope, id);
    const { name, certificateArn, hostedZoneId } = domain;
    const domainName = new DomainName(this, "Name", {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, "Certificate", certificateArn),
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    // The CDK's own mapping would depend on the name twice, which cfn-lint reports.
    const mapping = { apiId, domainName: domainName.name, stage: stage.stageName };
    new CfnApiMapping(this, "Mapping", mapping).node.addDependency(stage);

    const { regionalDomainName, regionalHostedZoneId } = domainName;
    if (hostedZoneId === undefined)
      new CfnOutput(this, "Target", { value: regionalDomainName }).overrideLogicalId(
        "DomainTarget",
      );
    else
      new CfnRecordSet(this, "Record", {
        hostedZoneId,
        name,
        type: "A",
        aliasTarget: { dnsName: regionalDomainName, hostedZoneId: regionalHostedZoneId },
      });
  }
}
