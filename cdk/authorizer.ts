import { ArnFormat, Duration, Stack } from "aws-cdk-lib";
import type { IHttpRouteAuthorizer } from "aws-cdk-lib/aws-apigatewayv2";
import {
  HttpIamAuthorizer,
  HttpJwtAuthorizer,
  HttpLambdaAuthorizer,
  HttpLambdaResponseType,
} from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { AccessChoice } from "./access-choice.ts";
import type { TableFunction } from "./function.ts";

/** The time for which API Gateway keeps the word of the Lambda authorizer about an Authorization header. */
export const VERDICT_TTL = Duration.minutes(1);

/** A way to authorize callers, with its consequences for the API. */
export interface Way {
  readonly authorizer: IHttpRouteAuthorizer;
  /** The principal in the access log, as the functions name it. */
  readonly principal: string;
  /** The variables by which functions find the roles of a caller (`src/edge/http/authorized.ts`). */
  readonly variables: Readonly<Record<string, string>>;
}

/** The words for the access log and the functions, of the ways that both kinds of API know. */
export const TOLD = {
  iam: { principal: "$context.identity.userArn", variables: { ACCESS: "iam" } },
  token: { principal: "$context.authorizer.principal", variables: { ACCESS: "token" } },
} as const;

/**
 * Returns the authorizer of every route of an HTTP API, with what depends on it. The variables of access logs are those of HTTP APIs
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html).
 *
 * @param authorize makes the function that finds the holders of tokens, if the way needs it
 */
export function wayOf(access: AccessChoice, authorize: () => TableFunction): Way {
  switch (access.type) {
    case "iam":
      return {
        ...TOLD.iam,
        authorizer: new HttpIamAuthorizer(),
      };
    case "jwt":
      return {
        authorizer: new HttpJwtAuthorizer("Jwt", access.issuer, {
          jwtAudience: [...access.audience],
        }),
        principal: `${access.issuer}#$context.authorizer.claims.sub`,
        variables: {
          ACCESS: "jwt",
          ROLES_CLAIM: access.rolesClaim,
          ...(access.tenantClaim !== undefined && { TENANT_CLAIM: access.tenantClaim }),
        },
      };
    case "token":
      return {
        ...TOLD.token,
        authorizer: new HttpLambdaAuthorizer("Token", readerOf(access.secret, authorize()).live, {
          responseTypes: [HttpLambdaResponseType.SIMPLE],
          identitySource: ["$request.header.Authorization"],
          resultsCacheTtl: VERDICT_TTL,
        }),
      };
  }
}

/** Tells functions the way in which API Gateway authorizes their callers. */
export function tell(
  functions: Readonly<Record<string, TableFunction>>,
  { variables }: Pick<Way, "variables">,
): void {
  for (const { function: served } of Object.values(functions))
    for (const [name, value] of Object.entries(variables)) served.addEnvironment(name, value);
}

/** Gives a function its only right, to read a secret, and returns it. An operator creates the secret. */
export function readerOf(secret: string, reader: TableFunction): TableFunction {
  reader.function.addEnvironment("TOKENS_SECRET", secret);
  reader.function.addToRolePolicy(
    new PolicyStatement({
      actions: ["secretsmanager:GetSecretValue"],
      // Secrets Manager ends each ARN with six random characters
      // (https://docs.aws.amazon.com/secretsmanager/latest/userguide/whats-in-a-secret.html).
      resources: [
        Stack.of(reader).formatArn({
          service: "secretsmanager",
          resource: "secret",
          resourceName: `${secret}-??????`,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
    }),
  );
  return reader;
}
