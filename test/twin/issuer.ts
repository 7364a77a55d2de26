import { createServer } from "node:http";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { listen } from "../../src/local/http-server.ts";

/** An issuer of JSON Web Tokens on this machine. */
export interface Issuer {
  readonly url: string;
  /** Signs a token that is valid for five minutes, but for what the claims say. */
  token(claims: JWTPayload, by?: "its key" | "another key"): Promise<string>;
  stop(): void;
}

const KEY_ID = "key-1";

/** Starts an issuer that serves its keys by OpenID Connect Discovery. */
export async function startIssuer(): Promise<Issuer> {
  const keys = {
    "its key": await generateKeyPair("RS256"),
    "another key": await generateKeyPair("RS256"),
  };
  const jwk = { ...(await exportJWK(keys["its key"].publicKey)), kid: KEY_ID, alg: "RS256" };
  const server = createServer((request, response) => {
    const isDiscovery = request.url === "/.well-known/openid-configuration";
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(isDiscovery ? { jwks_uri: `${url}/keys` } : { keys: [jwk] }));
  });
  const url = `http://127.0.0.1:${await listen(server, 0)}`;
  return {
    url,
    token: (claims, by = "its key") =>
      new SignJWT({ iss: url, sub: "ann", aud: "plat", ...claims })
        .setProtectedHeader({ alg: "RS256", kid: KEY_ID })
        .setIssuedAt(claims.iat)
        .setExpirationTime(claims.exp ?? "5m")
        .sign(keys[by].privateKey),
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
