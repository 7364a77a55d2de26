import type {
  APIGatewayAuthorizerResult,
  APIGatewayRequestAuthorizerEvent,
  APIGatewayRequestAuthorizerEventV2,
  APIGatewaySimpleAuthorizerWithContextResult,
} from "aws-lambda";
import type { LambdaCaller } from "../api/http/event.ts";
import { logger } from "../api/http/logger.ts";
import { holderOf, parseTokenMap, type TokenMap } from "./token-map.ts";

/** The time that a warm function uses a secret before it reads it again. A revoked token stays valid for so long. */
const TOKENS_FRESH_MS = 60_000;

/** A request that an HTTP API asks about (payload format 2.0), or a REST API. */
type Asked =
  | Pick<APIGatewayRequestAuthorizerEventV2, "headers">
  | Pick<APIGatewayRequestAuthorizerEvent, "headers" | "methodArn">;

/** The simple response for an HTTP API, or the policy for a REST API. */
type Result =
  | APIGatewaySimpleAuthorizerWithContextResult<LambdaCaller>
  | { readonly isAuthorized: false }
  | APIGatewayAuthorizerResult;

/**
 * Makes the handler of a Lambda authorizer, which finds the holder of a bearer token. It answers an HTTP API with the simple
 * response (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html), and a REST API with a policy
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html). No log has a
 * token, or the hash of one.
 *
 * @param readSecret reads the holders by the hashes of their tokens
 * @param now the time in milliseconds
 */
export function authorizer(readSecret: () => Promise<string>, now: () => number) {
  let read: { readonly map: TokenMap; readonly atMs: number } | undefined;

  async function tokens(): Promise<TokenMap> {
    if (read && now() - read.atMs < TOKENS_FRESH_MS) return read.map;
    const { map, malformed } = parseTokenMap(await readSecret());
    if (malformed.length > 0) logger.warn("malformed entries in the secret", { malformed });
    read = { map, atMs: now() };
    return map;
  }

  async function callerOf(headers: Asked["headers"]): Promise<LambdaCaller | undefined> {
    const authorization = Object.entries(headers ?? {}).find(
      ([name]) => name.toLowerCase() === "authorization",
    );
    // The scheme's case does not matter (https://www.rfc-editor.org/rfc/rfc9110#section-11.1). NetBox's clients name theirs "Token".
    const [, token] = /^(?:bearer|token) +(\S+)$/i.exec(authorization?.[1] ?? "") ?? [];
    const holder = token === undefined ? undefined : holderOf(token, await tokens());
    if (!holder) return undefined;
    const { name, roles, tenant } = holder;
    return {
      principal: `token:${name}`,
      roles: roles.join(" "),
      ...(tenant !== undefined && { tenant }),
    };
  }

  return async (asked: Asked): Promise<Result> => {
    const context = await callerOf(asked.headers);
    if ("methodArn" in asked) return policyFor(asked.methodArn, context);
    return context ? { isAuthorized: true, context } : { isAuthorized: false };
  };
}

/**
 * Returns the policy about a caller. It covers every call of the stage, because API Gateway keeps it for other calls
 * with the same token. The functions compare each call with the roles.
 */
function policyFor(
  methodArn: string,
  caller: LambdaCaller | undefined,
): APIGatewayAuthorizerResult {
  return {
    principalId: caller?.principal ?? "unknown",
    policyDocument: {
      Version: "2012-10-17",
      Statement: [
        {
          Effect: caller ? "Allow" : "Deny",
          Action: "execute-api:Invoke",
          Resource: everyCallOf(methodArn),
        },
      ],
    },
    ...(caller && { context: { ...caller } }),
  };
}

/** Returns the ARN of every call of a stage, from the ARN of one: `arn:…:API/STAGE/*`. */
const everyCallOf = (methodArn: string) => `${methodArn.split("/").slice(0, 2).join("/")}/*`;
