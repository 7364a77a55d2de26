import type { AwsClient } from "aws4fetch";
import { InvalidCall } from "./errors.ts";

/** Credentials of AWS, as the SDK names them. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** The credentials of a request, and the Region to sign for. */
export interface Access {
  /** The Region of an API with its own domain name; with it the client signs requests. */
  readonly region?: string | undefined;
  /** The token of a server, or of an API that authorizes callers by tokens. */
  readonly token?: string | undefined;
  /** The key of a usage plan, which a private API can ask for beside a signature or a token. */
  readonly apiKey?: string | undefined;
  /** Returns the credentials to sign with; by default those of the AWS command line. */
  readonly credentials?: (() => Promise<AwsCredentials>) | undefined;
  /** The profile of the AWS command line, if no credentials are passed in; by default that of the environment. */
  readonly profile?: string | undefined;
}

/** The part of an answer that the client reads. */
interface Received {
  readonly status: number;
  readonly headers: { readonly get: (name: string) => string | null };
  readonly text: () => Promise<string>;
}

/** Sends a request with headers and a body of text, and follows no redirection. */
export type Fetch = (url: string, init: RequestInit) => Promise<Received>;

/** The names of API Gateway's endpoints (https://docs.aws.amazon.com/general/latest/gr/apigateway.html). */
const API_GATEWAY = /\.execute-api(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$/;

/** Returns the function that sends a request. Signing is slow to load, so only calls to AWS load it. */
export async function fetchFor(
  { hostname }: URL,
  access: Access,
  plain: Fetch = (url, init) => fetch(url, init),
): Promise<Fetch> {
  const { token, apiKey, region: said } = access;
  const region = said ?? (token === undefined ? API_GATEWAY.exec(hostname)?.[1] : undefined);
  if (region === undefined) return (url, init) => plain(url, withHeaders(init, { token, apiKey }));
  const { AwsClient } = await import("aws4fetch");
  const credentials = access.credentials ?? (await credentialsOf(access));
  return async (url, init) => {
    // Read for each request, because credentials expire. The provider caches them until then.
    const { accessKeyId, secretAccessKey, sessionToken } = await credentials().catch(
      (error: Error) => {
        throw new InvalidCall(
          `No AWS credentials to sign requests with: ${error.message}\nSign in with \`aws sso login\`, or name a profile in AWS_PROFILE. For an API that takes tokens, set PLAT_TOKEN.`,
        );
      },
    );
    const signer: AwsClient = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: "execute-api",
      region,
      retries: 0,
    });
    return signer.fetch(url, withHeaders(init, { apiKey }));
  };
}

/** Returns what reads the credentials of the AWS command line. */
async function credentialsOf({
  profile,
}: Pick<Access, "profile">): Promise<() => Promise<AwsCredentials>> {
  const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
  return defaultProvider(profile === undefined ? {} : { profile });
}

/** Adds the token and the key. Errors: a header cannot carry it. The message does not contain it. */
function withHeaders(init: RequestInit, { token, apiKey }: Access): RequestInit {
  for (const [name, value] of Object.entries({ token, "API key": apiKey }))
    if (value !== undefined && !/^[\x21-\x7e]+$/.test(value))
      throw new InvalidCall(`The ${name} must have visible ASCII characters only.`);
  const headers = {
    ...init.headers,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(apiKey !== undefined && { "x-api-key": apiKey }),
  };
  return { ...init, headers };
}
