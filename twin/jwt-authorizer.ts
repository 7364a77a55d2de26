import { createRemoteJWKSet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";

export interface JwtAuthorizerProps {
  readonly issuer: string;
  readonly audience: readonly string[];
}

/** API Gateway knows algorithms of RSA only. */
const ALGORITHMS = ["RS256", "RS384", "RS512"];

/**
 * Validates JSON Web Tokens as a JWT authorizer of an HTTP API does: it finds the keys of the issuer by OpenID Connect
 * Discovery, and checks signature, `iss`, `aud` or else `client_id`, `exp`, `nbf` and `iat`
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html).
 */
export class JwtAuthorizer {
  readonly #props: JwtAuthorizerProps;
  #keys: JWTVerifyGetKey | undefined;

  constructor(props: JwtAuthorizerProps) {
    this.#props = props;
  }

  /** Returns the claims of the token as the event has them, or nothing if the token is absent or invalid. */
  async claimsOf(authorization = ""): Promise<Readonly<Record<string, string>> | undefined> {
    const { audience } = this.#props;
    const payload = await this.#verified(authorization.replace(/^Bearer +/i, ""));
    if (!payload) return undefined;
    const { aud, client_id, iat = 0 } = payload;
    const meant = [aud ?? String(client_id)].flat();
    if (!meant.some((one) => audience.includes(one)) || iat * 1_000 > Date.now()) return undefined;
    return Object.fromEntries(
      Object.entries(payload).map(([name, value]) => [name, textOf(value)]),
    );
  }

  async #verified(token: string): Promise<JWTPayload | undefined> {
    const { issuer } = this.#props;
    try {
      this.#keys ??= await keysOf(issuer);
      const options = { issuer, algorithms: ALGORITHMS, requiredClaims: ["exp"] };
      return (await jwtVerify(token, this.#keys, options)).payload;
    } catch {
      return undefined;
    }
  }
}

async function keysOf(issuer: string): Promise<JWTVerifyGetKey> {
  const found = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  const { jwks_uri } = (await found.json()) as { readonly jwks_uri: string };
  return createRemoteJWKSet(new URL(jwks_uri));
}

/** Returns a claim as a text: a list is its members in brackets. */
const textOf = (value: unknown): string =>
  Array.isArray(value) ? `[${value.join(" ")}]` : String(value);
