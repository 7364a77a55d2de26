import type { WithVariables } from "./shell-line.ts";

/** The credentials of who is signed in. They stay in the memory of the page, and a reload forgets them. */
export type Credentials =
  | { readonly type: "bearer"; readonly token: string }
  | {
      readonly type: "iam";
      readonly region: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string;
    };

/** Returns the words of `curl` that prove who sends a request. They name variables, and no secret. */
export function credentialsInShell(
  credentials: Credentials | undefined,
): readonly (string | WithVariables)[] {
  if (!credentials) return [];
  if (credentials.type === "bearer") return ["-H", { text: "Authorization: Bearer $PLAT_TOKEN" }];
  return [
    ...["--aws-sigv4", `aws:amz:${credentials.region}:execute-api`],
    ...["--user", { text: "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" }],
    ...(credentials.sessionToken === undefined
      ? []
      : ["-H", { text: "x-amz-security-token: $AWS_SESSION_TOKEN" }]),
  ];
}

/** A request before it has credentials. */
interface Unsigned {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Returns the headers of a request with those that prove who sends it. */
export async function signed(
  { method, url, headers, body }: Unsigned,
  credentials: Credentials | undefined,
): Promise<HeadersInit> {
  if (!credentials) return headers;
  if (credentials.type === "bearer")
    return { ...headers, authorization: `Bearer ${credentials.token}` };
  const { type: _, ...keys } = credentials;
  const { AwsV4Signer } = await import("aws4fetch");
  const request = await new AwsV4Signer({
    method,
    url,
    headers,
    ...(body !== undefined && { body }),
    service: "execute-api",
    ...keys,
  }).sign();
  return request.headers;
}
