import type { AccessChoice } from "./access-choice.ts";
import { readerOf, TOLD, VERDICT_TTL } from "./authorizer.ts";
import type { TableFunction } from "./function.ts";

/** A way to authorize callers of a REST API. */
export interface RestWay {
  /** The security scheme of its methods, with what API Gateway adds to it. */
  readonly scheme: object;
  /** The principal in the access log, as the functions name it. */
  readonly principal: string;
  /** The variables by which functions find the roles of a caller (`src/edge/http/authorized.ts`). */
  readonly variables: Readonly<Record<string, string>>;
  /** The function that finds the holders of tokens, if the way needs it. */
  readonly authorize?: TableFunction;
}

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
): RestWay {
  const header = { type: "apiKey", name: "Authorization", in: "header" };
  switch (access.type) {
    case "iam":
      return {
        ...TOLD.iam,
        scheme: { ...header, "x-amazon-apigateway-authtype": "awsSigv4" },
      };
    case "token": {
      const asked = readerOf(access.secret, authorize());
      return {
        ...TOLD.token,
        authorize: asked,
        scheme: {
          ...header,
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
