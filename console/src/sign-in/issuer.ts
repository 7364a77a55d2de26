import * as oauth from "oauth4webapi";
import type { SignIn } from "../api/types.ts";

type ByIssuer = Extract<SignIn, { type: "jwt" }>;

/** A sign-in that is under way at the issuer. It has no token, and what it has is of use once. */
interface Pending {
  readonly signIn: ByIssuer;
  readonly verifier: string;
  readonly state: string;
  /** The page to return to. */
  readonly back: string;
}

const KEY = "plat-sign-in";

/** The page to which the issuer sends the user back; it must know this address of the client. */
const returnUri = () => `${location.origin}/console/`;

/**
 * Leaves for the page of the issuer, by the authorization code flow with PKCE
 * (https://www.rfc-editor.org/rfc/rfc7636).
 */
export async function leaveForIssuer(signIn: ByIssuer): Promise<void> {
  const { authorization_endpoint: endpoint } = await discovered(signIn);
  if (endpoint === undefined) throw new Error(`${signIn.issuer} names no authorization endpoint`);
  const pending: Pending = {
    signIn,
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    back: `${location.pathname}${location.search}`,
  };
  const url = new URL(endpoint);
  const parameters = {
    response_type: "code",
    client_id: signIn.clientId,
    redirect_uri: returnUri(),
    scope: signIn.scope,
    state: pending.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  sessionStorage.setItem(KEY, JSON.stringify(pending));
  location.assign(url);
}

/** Fetches the token for the code with which the issuer sent the user back. The address becomes that of the page before. */
export async function tokenOfReturn(): Promise<string> {
  const text = sessionStorage.getItem(KEY);
  const returned = new URL(location.href);
  sessionStorage.removeItem(KEY);
  if (text === null) throw new Error("no sign-in is under way");
  const { signIn, verifier, state, back } = JSON.parse(text) as Pending;
  history.replaceState(undefined, "", back);
  const server = await discovered(signIn);
  const client: oauth.Client = { client_id: signIn.clientId };
  const parameters = oauth.validateAuthResponse(server, client, returned, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    returnUri(),
    verifier,
    insecureFor(signIn),
  );
  const { access_token: token } = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    response,
  );
  return token;
}

async function discovered(signIn: ByIssuer): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(signIn.issuer);
  const response = await oauth.discoveryRequest(issuer, insecureFor(signIn));
  return oauth.processDiscoveryResponse(issuer, response);
}

/** An issuer without TLS is one on this machine: the settings of a deployment take none. */
const insecureFor = ({ issuer }: ByIssuer) => ({
  [oauth.allowInsecureRequests]: new URL(issuer).protocol === "http:",
});
