import { AwsClient } from "aws4fetch";
import { ANSWER_MS_MAX } from "../base/limits.ts";

/** A time outside of the table, which neither goes back nor away with it. */
export interface Marker {
  /** The name of the parameter with the time, and its Region if that is another one. */
  readonly name: string;
  /** Returns the time of the last mark; nothing before the first. */
  read(): Promise<number | undefined>;
  write(atMs: number): Promise<void>;
}

/**
 * Returns the marker in the parameter of Systems Manager that `MARKER_PARAMETER` names; nothing if the variable is not set. `AWS_ENDPOINT_URL_SSM` names
 * the endpoint, as for the SDK. `MARKER_REGION` is set if the parameter is in another Region: in that of the environment, whose table was there first.
 */
export function markerOfEnvironment(): Marker | undefined {
  const { MARKER_PARAMETER, MARKER_REGION } = process.env;
  return MARKER_PARAMETER ? markerIn(MARKER_PARAMETER, MARKER_REGION) : undefined;
}

/**
 * Returns the marker to write, which is in the Region of the function: marks go on while every other Region is lost. `OWN_MARKER_PARAMETER` is set where
 * the marker of the environment is another one.
 */
export function ownMarkerOfEnvironment(): Marker | undefined {
  const { OWN_MARKER_PARAMETER } = process.env;
  return OWN_MARKER_PARAMETER ? markerIn(OWN_MARKER_PARAMETER) : markerOfEnvironment();
}

function markerIn(Name: string, region?: string): Marker {
  return {
    name: region ? `${Name} in ${region}` : Name,
    async read() {
      const { Parameter } = await askTwice(region, "GetParameter", { Name });
      const atMs = Number(Parameter?.Value);
      if (!Number.isSafeInteger(atMs)) throw new Error("the marker is no time in milliseconds");
      return atMs === 0 ? undefined : atMs;
    },
    async write(atMs) {
      await askTwice(region, "PutParameter", { Name, Value: String(atMs), Overwrite: true });
    },
  };
}

interface Reply {
  readonly Parameter?: { readonly Value?: string };
}

/** Calls an operation again if it fails once: the first call of a cold function can use up its time before it is sent. */
const askTwice = (...call: Parameters<typeof ask>): Promise<Reply> =>
  ask(...call).catch(() => ask(...call));

/**
 * Calls an operation of Systems Manager
 * (https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html).
 *
 * @throws {Error} if it does not answer in time, or rejects the call; the message has the status
 */
async function ask(elsewhere: string | undefined, operation: string, body: object): Promise<Reply> {
  const { AWS_ENDPOINT_URL_SSM = "", AWS_REGION = "" } = process.env;
  const region = elsewhere ?? AWS_REGION;
  // An endpoint of AWS has the name of its Region in it.
  const endpoint = AWS_ENDPOINT_URL_SSM.replace(AWS_REGION, region);
  // Read for each call, because Lambda's credentials are those of the process.
  const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "", AWS_SESSION_TOKEN } = process.env;
  const client = new AwsClient({
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN !== undefined && { sessionToken: AWS_SESSION_TOKEN }),
    service: "ssm",
    region,
    retries: 0,
  });
  const answer = await client.fetch(endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": `AmazonSSM.${operation}`,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  if (!answer.ok) throw new Error(`Systems Manager answered ${operation} with ${answer.status}`);
  return (await answer.json()) as Reply;
}
