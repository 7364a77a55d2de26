import type { IncomingMessage } from "node:http";
import { AwsV4Signer } from "aws4fetch";
import type { Caller } from "./callers.ts";

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html */
const SKEW_MS_MAX = 300_000;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/execute-api\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=[0-9a-f]{64}$/;

/** Returns the signer of a request with a valid SigV4 signature for this Region and time, or nothing. */
export async function signerOf(
  request: IncomingMessage,
  body: Buffer,
  region: string,
  callers: readonly Caller[],
): Promise<Caller | undefined> {
  const { authorization = "", host = "" } = request.headers;
  const [, accessKeyId, date, signedFor, names = ""] = AUTHORIZATION.exec(authorization) ?? [];
  const datetime = String(request.headers["x-amz-date"]);
  const caller = callers.find((one) => one.accessKeyId === accessKeyId);
  if (!caller || signedFor !== region || !datetime.startsWith(String(date))) return undefined;
  if (!(Math.abs(Date.now() - timeMsOf(datetime)) <= SKEW_MS_MAX)) return undefined;
  const headers = names
    .split(";")
    .filter((name) => name !== "host")
    .map((name): [string, string] => [name, (request.headersDistinct[name] ?? []).join(",")]);
  const expected = await new AwsV4Signer({
    method: request.method ?? "",
    url: `http://${host}${request.url}`,
    headers: Object.fromEntries(headers),
    ...(body.length > 0 && { body: new Uint8Array(body) }),
    accessKeyId: caller.accessKeyId,
    secretAccessKey: caller.secretAccessKey,
    service: "execute-api",
    region,
    datetime,
    allHeaders: true,
  }).authHeader();
  return signatureOf(expected) === signatureOf(authorization) ? caller : undefined;
}

const signatureOf = (authorization: string) => authorization.split("Signature=")[1];

/** Parses a time such as `20260101T000000Z`. */
function timeMsOf(datetime: string): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(datetime) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
