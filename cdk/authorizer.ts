import { ArnFormat, Duration, Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { AccessChoice } from "./access-choice.ts";
import type { TableFunction } from "./function.ts";

/** The time for which API Gateway keeps the word of the Lambda authorizer about an Authorization header. */
export const VERDICT_TTL = Duration.minutes(1);

/** A way to authorize callers, with its consequences for the API. */
export interface Way {
  /** The security scheme of its routes, with what API Gateway adds to it. */
  readonly scheme: object;
  /** The principal in the access log, as the functions name it. */
  readonly principal: string;
  /** The variables by which functions find the roles of a caller (`src/api/http/authorized.ts`). */
  readonly variables: Readonly<Record<string, string>>;
  /** The function that finds the holders of tokens, if the way needs it. */
  readonly authorize?: TableFunction;
}

/** The header with a signature or a token, as a security scheme of OpenAPI. */
export const AUTHORIZATION = { type: "apiKey", name: "Authorization", in: "header" };

/**
 * The way of both kinds of API by IAM
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-authtype.html).
 */
export const BY_IAM: Way = {
  scheme: { ...AUTHORIZATION, "x-amazon-apigateway-authtype": "awsSigv4" },
  principal: "$context.identity.userArn",
  variables: { ACCESS: "iam" },
};

/** The words for the access log and the functions, of both kinds of API by token. */
export const BY_TOKEN = {
  principal: "$context.authorizer.principal",
  variables: { ACCESS: "token" },
} as const;

/**
 * Returns the way of an HTTP API. The security schemes are those of API Gateway's extensions of OpenAPI
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-authorizer.html), and the variables
 * those of its access logs (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html).
 *
 * @param authorize makes the function that finds the holders of tokens, if the way needs it
 * @param uriOf returns the URI by which API Gateway invokes a function
 */
export function wayOf(
  access: AccessChoice,
  authorize: () => TableFunction,
  uriOf: (invoked: TableFunction) => string,
): Way {
  const identitySource = "$request.header.Authorization";
  switch (access.type) {
    case "iam":
      return BY_IAM;
    case "jwt":
      return {
        scheme: {
          type: "oauth2",
          flows: {},
          "x-amazon-apigateway-authorizer": {
            type: "jwt",
            jwtConfiguration: { issuer: access.issuer, audience: [...access.audience] },
            identitySource,
          },
        },
        principal: `${access.issuer}#$context.authorizer.claims.sub`,
        variables: {
          ACCESS: "jwt",
          ROLES_CLAIM: access.rolesClaim,
          ...(access.tenantClaim !== undefined && { TENANT_CLAIM: access.tenantClaim }),
        },
      };
    case "token": {
      const asked = readerOf(access.secret, authorize());
      return {
        ...BY_TOKEN,
        authorize: asked,
        scheme: {
          ...AUTHORIZATION,
          "x-amazon-apigateway-authorizer": {
            type: "request",
            authorizerUri: uriOf(asked),
            authorizerPayloadFormatVersion: "2.0",
            authorizerResultTtlInSeconds: VERDICT_TTL.toSeconds(),
            enableSimpleResponses: true,
            identitySource,
          },
        },
      };
    }
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
