import { fileURLToPath } from "node:url";
import { ArnFormat, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { pathIn } from "../api/route.ts";
import { OPERATIONS } from "../client/generated/operations.ts";

/** The operations that the handler calls for each kind of resource. */
const CALLS = {
  Address: ["readHandle", "assign", "release"],
  Prefix: ["listPrefixes", "assignPrefix", "releasePrefixes"],
  Pool: ["readPool", "putPool", "deletePool"],
} as const satisfies Readonly<Record<string, readonly (keyof typeof OPERATIONS)[]>>;

/** The kinds of resources. */
export type ResourceKindName = keyof typeof CALLS;

/** The API that a function calls. */
export interface CalledApi {
  readonly apiId: string;
  readonly region: string;
  readonly space: string | undefined;
}

/** The folder with the handler as one file. The package has it beside this module. */
const HANDLER = fileURLToPath(new URL("./handler", import.meta.url));

/** The longest time that Lambda gives a function. The delete of a pool takes minutes. */
const TIMEOUT = Duration.minutes(15);
/**
 * The age after which Lambda drops an event. CloudFormation waits an hour for an answer and then goes on. With the time
 * of one call, no create may begin or end after that.
 */
const MAX_EVENT_AGE = Duration.minutes(40);

/** The function that serves one kind of custom resource, with the rights that it needs. */
export class Provider extends Construct {
  readonly serviceToken: string;

  constructor(scope: Construct, id: string, kind: ResourceKindName, api: CalledApi) {
    super(scope, id);
    const logGroup = new LogGroup(this, "Logs", {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    });
    logGroup.grantWrite(role);
    role.addToPolicy(
      new PolicyStatement({
        actions: ["execute-api:Invoke"],
        resources: CALLS[kind].map((operation) => arnOf(Stack.of(this), api, operation)),
      }),
    );
    this.serviceToken = new LambdaFunction(this, "Function", {
      description: `Plat: custom resources of the kind ${kind}`,
      code: Code.fromAsset(HANDLER),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 256,
      timeout: TIMEOUT,
      maxEventAge: MAX_EVENT_AGE,
      role,
      logGroup,
    }).functionArn;
  }
}

/** Returns the ARN of an operation of the API, with an asterisk for each variable part of its path. */
function arnOf(stack: Stack, api: CalledApi, operation: keyof typeof OPERATIONS): string {
  const { method, path } = OPERATIONS[operation];
  return stack.formatArn({
    service: "execute-api",
    region: api.region,
    resource: api.apiId,
    resourceName: `$default/${method}${pathIn(api.space, path.replace(/\{\w+\}/g, "*"))}`,
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
}
