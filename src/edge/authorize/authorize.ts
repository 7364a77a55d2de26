import type {
  APIGatewayRequestAuthorizerEventV2,
  APIGatewaySimpleAuthorizerWithContextResult,
} from "aws-lambda";
import type { LambdaCaller } from "../http/event.ts";
import { logger } from "../http/logger.ts";
import { holderOf, parseTokenMap, type TokenMap } from "./token-map.ts";

/** The time that a warm function uses a secret before it reads it again. A revoked token stays valid for so long. */
const TOKENS_FRESH_MS = 60_000;

type Result =
  | APIGatewaySimpleAuthorizerWithContextResult<LambdaCaller>
  | { readonly isAuthorized: false };

/**
 * Makes the handler of a Lambda authorizer, which finds the holder of a bearer token. Payload format 2.0 with the simple
 * response (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html). No log has a
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

  return async ({ headers }: APIGatewayRequestAuthorizerEventV2): Promise<Result> => {
    // The scheme's case does not matter (https://www.rfc-editor.org/rfc/rfc9110#section-11.1).
    const [, token] = /^bearer +(\S+)$/i.exec(headers?.authorization ?? "") ?? [];
    const holder = token === undefined ? undefined : holderOf(token, await tokens());
    if (!holder) return { isAuthorized: false };
    const { name, roles, tenant } = holder;
    return {
      isAuthorized: true,
      context: {
        principal: `token:${name}`,
        roles: roles.join(" "),
        ...(tenant !== undefined && { tenant }),
      },
    };
  };
}
