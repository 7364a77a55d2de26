import type { AccessChoice } from "./access-choice.ts";
import { AUTHORIZATION, BY_IAM, BY_TOKEN, readerOf, VERDICT_TTL, type Way } from "./authorizer.ts";
import type { TableFunction } from "./function.ts";

/**
 * Returns the way of a REST API. The security schemes are those of API Gateway's extensions of OpenAPI
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-authorizer.html).
 *
 * @param authorize makes the function that finds the holders of tokens, if the way needs it
 * @param uriOf returns the URI by which API Gateway invokes a function
 * @throws if a REST API does not know the way
 */
export function restWayOf(
  access: AccessChoice,
  authorize: () => TableFunction,
  uriOf: (invoked: TableFunction) => string,
): Way {
  switch (access.type) {
    case "iam":
      return BY_IAM;
    case "token": {
      const asked = readerOf(access.secret, authorize());
      return {
        ...BY_TOKEN,
        authorize: asked,
        scheme: {
          ...AUTHORIZATION,
          "x-amazon-apigateway-authtype": "custom",
          "x-amazon-apigateway-authorizer": {
            type: "request",
            authorizerUri: uriOf(asked),
            authorizerResultTtlInSeconds: VERDICT_TTL.toSeconds(),
            identitySource: "method.request.header.Authorization",
          },
        },
      };
    }
    case "jwt":
      throw new Error("a REST API verifies no JSON Web Tokens");
  }
}
