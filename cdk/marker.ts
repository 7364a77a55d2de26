import { Aws } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { StringParameter } from "aws-cdk-lib/aws-ssm";
import { Construct } from "constructs";
import type { TableFunction } from "./function.ts";

/**
 * The time of the last mark of the table, outside of the table. If the table goes back in time, this parameter does not, and the function
 * sees that (`src/restore/mark-table.ts`).
 */
export class Marker extends Construct {
  constructor(scope: Construct, id: string, { function: marks }: Pick<TableFunction, "function">) {
    super(scope, id);
    const parameter = new StringParameter(this, "Parameter", {
      description: "When Plat last marked its table, in milliseconds since 1970. Plat writes it.",
      // CloudFormation sets this value once, and does not see what the function writes.
      stringValue: "0",
    });
    marks.addEnvironment("MARKER_PARAMETER", parameter.parameterName);
    marks.addEnvironment("AWS_ENDPOINT_URL_SSM", `https://ssm.${Aws.REGION}.${Aws.URL_SUFFIX}`);
    marks.addToRolePolicy(
      new PolicyStatement({
        actions: ["ssm:GetParameter", "ssm:PutParameter"],
        resources: [parameter.parameterArn],
      }),
    );
  }
}
