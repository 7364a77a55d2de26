import { Aws, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { StringParameter } from "aws-cdk-lib/aws-ssm";
import { Construct } from "constructs";
import { wrong } from "../src/constructs/props.ts";
import { ACCESS, type DeployedFunctionName } from "./access.ts";
import { type Environment, stackNameOf } from "./environments.ts";

/** The function whose runs mark the table. */
const MARKS: DeployedFunctionName = "repair";

/** The beginning of a name that Systems Manager keeps for AWS (https://docs.aws.amazon.com/systems-manager/latest/userguide/sysman-paramstore-su-create.html). */
const RESERVED = /^(aws|ssm)/i;

/** The stack that serves in the Region of an environment that has further ones. */
export interface HomeStack {
  readonly region: string;
  readonly stackName: string;
}

export interface MarkerProps {
  readonly environment: Pick<Environment, "removalPolicy">;
  /** Absent in the stack itself, and where there is one Region. */
  readonly home: HomeStack | undefined;
}

const parameterNameOf = (stackName: string): string => `${stackName}-table-mark`;

/**
 * The time of the last mark of the table, outside of the table. If the table goes back in time, this parameter does not, and the function that
 * marks sees that (`src/restore/mark-table.ts`). If an empty table takes the place of another one, each function that could write its first item
 * sees that (`src/table/guarded-table.ts`).
 *
 * Its name is that of the stack, whatever the ids of the constructs: CloudFormation fails a deployment that would make it a second time, and so a
 * table under another id. In prod it stays when the stack goes, as the table does.
 *
 * Each further Region has one, so that it can mark alone. It is new when the Region is, so it cannot tell of a table that the environment had before
 * it had this Region. The marker of the home Region can, and so the functions of every Region read that before the first item.
 */
export class Marker extends Construct {
  readonly #parameter: StringParameter;
  readonly #home: HomeStack | undefined;

  constructor(scope: Construct, id: string, { environment, home }: MarkerProps) {
    super(scope, id);
    const { removalPolicy } = environment;
    this.#home = home;
    const stackName = stackNameOf(this);
    if (RESERVED.test(stackName))
      throw wrong(
        this,
        `the stack ${stackName} needs a name that begins neither with aws nor with ssm, because parameters begin with its name`,
      );
    this.#parameter = new StringParameter(this, "Parameter", {
      parameterName: parameterNameOf(stackName),
      description:
        "When Plat last marked its table, in milliseconds since 1970. Plat writes it. 0 lets an empty table serve.",
      // CloudFormation sets this value once, and does not see what the function writes.
      stringValue: "0",
    });
    // A first deployment that fails leaves nothing behind that would fail the next one.
    this.#parameter.applyRemovalPolicy(
      removalPolicy === RemovalPolicy.RETAIN
        ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
        : removalPolicy,
    );
  }

  /** Lets a function read the marker if it can write the first item of a table, and lets that which marks write it too. */
  tell(name: DeployedFunctionName, told: LambdaFunction): void {
    if (!ACCESS[name]?.put?.includes("TABLE")) return;
    const own = this.#parameter;
    const home = this.#home;
    const marks = name === MARKS;
    const homeName = home && parameterNameOf(home.stackName);
    told.addEnvironment("MARKER_PARAMETER", homeName ?? own.parameterName);
    told.addEnvironment("AWS_ENDPOINT_URL_SSM", `https://ssm.${Aws.REGION}.${Aws.URL_SUFFIX}`);
    if (home && homeName) {
      told.addEnvironment("MARKER_REGION", home.region);
      if (marks) told.addEnvironment("OWN_MARKER_PARAMETER", own.parameterName);
      const arn = { service: "ssm", resource: "parameter", resourceName: homeName };
      told.addToRolePolicy(
        new PolicyStatement({
          actions: ["ssm:GetParameter"],
          resources: [Stack.of(this).formatArn({ ...arn, region: home.region })],
        }),
      );
    }
    if (!home || marks)
      told.addToRolePolicy(
        new PolicyStatement({
          actions: ["ssm:GetParameter", ...(marks ? ["ssm:PutParameter"] : [])],
          resources: [own.parameterArn],
        }),
      );
  }
}
