import type { AwsClient } from "aws4fetch";
import pRetry from "p-retry";
import * as v from "valibot";
import { pathIn, SPACE_DEFAULT } from "../../contract/routes/space-path.ts";
import { spaceName } from "../../contract/schema/field.ts";
import { isRecord } from "../../contract/schema/schema.ts";
import { CommandError, EXIT, usageError } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import {
  ApiError,
  type ApiProblem,
  type Client,
  mayBeDone,
  NotSent,
  type Reply,
  type Request,
  Unanswered,
} from "./client.ts";
import { causesOf, noConnection } from "./connection.ts";

const TRIES_MAX = 5;
const ANSWER_MS_MAX = 30_000;
const WAIT_MS_MAX = 5_000;
const UNANSWERED_WAIT_MS = 500;
const SHOWN_CHARACTERS_MAX = 200;
/** The names of API Gateway's endpoints (https://docs.aws.amazon.com/general/latest/gr/apigateway.html). */
const API_GATEWAY = /\.execute-api(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$/;

/** Credentials of a request. */
interface Access {
  /** The Region of an API with its own domain name. */
  readonly region?: string | undefined;
  /** The token of a server, or of an API that authorizes callers by tokens. */
  readonly token?: string | undefined;
  /** The key of a usage plan, which a private API can ask for beside a signature or a token. */
  readonly apiKey?: string | undefined;
}

/** The part of an answer that the client reads. */
interface Answer {
  readonly status: number;
  readonly headers: { readonly get: (name: string) => string | null };
  readonly text: () => Promise<string>;
}

/** Sends a request with headers and a body of text, and follows no redirection. */
export type Fetch = (url: string, init: RequestInit) => Promise<Answer>;

/** The surroundings of a client. */
interface Surroundings extends Pick<Io, "sleep"> {
  /** Sends requests without a signature; by default the built-in `fetch`. */
  readonly fetch?: Fetch;
}

/**
 * Calls the API at an endpoint, a URL. It repeats a request if the answer asks for a short wait, or if there was no
 * connection. It also repeats an idempotent request without an answer. If a Region is given, it signs requests with SigV4
 * and the credentials of the AWS command line. Otherwise requests carry the token, if there is one. Without a token it
 * signs requests to an endpoint of API Gateway.
 *
 * @param space the space in the paths; without one the paths name none, and the API acts in `default`
 */
export function httpClient(
  endpoint: string,
  space: string | undefined,
  io: Surroundings,
  access: Access = {},
): Client {
  const base = baseOf(endpoint);
  checkSpace(space);
  const fetching = lazily(() => fetchFor(base, access, io.fetch));
  return {
    space: space ?? SPACE_DEFAULT,
    async call<Body>(request: Request) {
      const fetch = await fetching();
      let unanswered: CommandError | undefined;
      try {
        return await pRetry(() => attempt<Body>(fetch, base, space, request), {
          retries: TRIES_MAX - 1,
          minTimeout: 0,
          ...(request.signal && { signal: request.signal }),
          shouldRetry: ({ error }) => error instanceof Again,
          onFailedAttempt: ({ error, retriesLeft }) => {
            if (!(error instanceof Again)) return;
            if (mayBeDone(error.reason)) unanswered = error.reason;
            if (retriesLeft > 0) return io.sleep(error.waitMs, request.signal);
          },
        });
      } catch (error) {
        const reason = error instanceof Again ? error.reason : error;
        // A later try that was not carried out does not change that an earlier one without an answer may have been.
        throw unanswered && isNotCarriedOut(reason) ? after(unanswered, reason) : reason;
      }
    },
  };
}

/** An error after which the request may be repeated, following a wait. It has the error to throw after the last try. */
class Again extends Error {
  readonly reason: CommandError;
  readonly waitMs: number;

  constructor(reason: CommandError, waitMs: number) {
    super(reason.message);
    this.reason = reason;
    this.waitMs = waitMs;
  }
}

/** Returns true if this try of the request had no effect; an earlier one may have had one. */
const isNotCarriedOut = (reason: unknown): reason is CommandError =>
  reason instanceof CommandError &&
  !mayBeDone(reason) &&
  (!(reason instanceof ApiError) || reason.problem.retryable);

const after = (unanswered: CommandError, last: CommandError) =>
  new Unanswered(`${unanswered.message}\nThe last try failed otherwise: ${last.message}`);

async function attempt<Body>(
  fetch: Fetch,
  base: URL,
  space: string | undefined,
  request: Request,
): Promise<Reply<Body>> {
  const answered = await exchange(fetch, base, space, request).catch((error: Error) => {
    if (error instanceof CommandError || request.signal?.aborted) throw error;
    const unconnected = noConnection(error, base);
    if (unconnected !== undefined) {
      const reason = new NotSent(unconnected.message);
      throw unconnected.mayPass ? new Again(reason, UNANSWERED_WAIT_MS) : reason;
    }
    const reason = new Unanswered(
      `${base.origin} does not answer: ${silenceOf(error)}.${unknownOutcome(request)}`,
    );
    throw repeatable(request) ? new Again(reason, UNANSWERED_WAIT_MS) : reason;
  });
  const { status, headers, text } = answered;
  const body = parsed(text);
  // Every answer of Plat has content.
  if (status < 300 && isRecord(body) && Object.keys(body).length > 0)
    return { status, etag: headers.get("etag") ?? undefined, body: body as Body };
  if (isProblem(body)) throw rejected(request, body);
  const said = `${base.origin} ${strangeness(answered)}`;
  // API Gateway throttles without calling Plat, so a repeat is safe.
  if (status === 429) throw new Again(new CommandError(EXIT.unreachable, said), UNANSWERED_WAIT_MS);
  const turnedAway = TURNED_AWAY[status];
  if (turnedAway !== undefined)
    throw new CommandError(EXIT.rejected, `${said}\n${turnedAway} Plat did not get the request.`);
  // The redirection was not followed, so the request had no effect.
  if (status >= 300 && status < 400) throw new CommandError(EXIT.unreachable, said);
  if (status < 500) throw new Unanswered(said);
  // A status of 500 or more without a problem comes from a gateway to which Plat did not answer in time.
  const reason = new Unanswered(`${said}${unknownOutcome(request)}`);
  throw repeatable(request) ? new Again(reason, UNANSWERED_WAIT_MS) : reason;
}

const NOT_LET_IN =
  "Check the AWS credentials and their permissions. Requests are signed if the endpoint has a name of API Gateway, or --region is set.";

/** Explanations of rejections by a gateway before Plat, by status. */
const TURNED_AWAY: Readonly<Record<number, string>> = {
  401: NOT_LET_IN,
  403: NOT_LET_IN,
  404: "This is not Plat's own 404. Check the endpoint, with the stage or the path that it may need.",
};

/** Returns the error of a rejection, with a wait if a repeat may help. */
function rejected(request: Request, problem: ApiProblem): ApiError | Again {
  const rejection = new ApiError(problem);
  if (!problem.retryable) return rejection;
  const waitMs = (problem.retryAfterSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
  // A write that failed half-way may have happened. Only a rejection proves that it did not.
  const harmless = repeatable(request) || (problem.status < 500 && !isDoneInParts(request));
  return harmless && waitMs <= WAIT_MS_MAX ? new Again(rejection, waitMs) : rejection;
}

/** Describes an answer that is not from Plat. */
function strangeness({ status, headers, text }: Awaited<ReturnType<typeof exchange>>): string {
  const location = headers.get("location");
  if (location !== null)
    return `answers ${status} with a redirection.\nUse ${location} as the endpoint.`;
  const shown = text.replace(/[\s\p{Cc}]+/gu, " ").slice(0, SHOWN_CHARACTERS_MAX);
  return `answers ${status}, but not as Plat does: ${shown}`;
}

async function exchange(fetch: Fetch, base: URL, space: string | undefined, request: Request) {
  const { method, body, headers, signal } = request;
  const tooLong = AbortSignal.timeout(ANSWER_MS_MAX);
  const response = await fetch(urlOf(base, space, request), {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // A signature is valid for one URL only, and `fetch` would repeat a POST as a GET.
    redirect: "manual",
    signal: signal ? AbortSignal.any([tooLong, signal]) : tooLong,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/**
 * Returns true if the request is idempotent. Two writes are not: a write that is conditional on its item, and a release
 * of all addresses of a handle or a host.
 */
const repeatable = ({ method, headers = {}, isRepeatable = false }: Request): boolean =>
  isRepeatable || method === "GET" || "Idempotency-Key" in headers;

const silenceOf = (error: Error): string =>
  error.name === "TimeoutError"
    ? `no answer within ${ANSWER_MS_MAX / 1_000} s`
    : causesOf(error)[0]?.message || error.message;

/**
 * Returns the message for a write without an answer. It is empty for commands that repeat or release, because they add
 * their own.
 */
const unknownOutcome = (request: Request): string =>
  repeatable(request) || isDoneInParts(request)
    ? ""
    : "\nThe change may have been made. Read the resource before you repeat the command.";

/** Returns true for a request that Plat may carry out in part if it cannot do the rest at the moment. */
const isDoneInParts = ({ path }: Request): boolean => path === "/v1/release";

const isProblem = (body: unknown): body is ApiProblem =>
  isRecord(body) && typeof body.code === "string" && typeof body.detail === "string";

function urlOf(base: URL, space: string | undefined, { path, query = {} }: Request): string {
  const url = new URL(`${base.pathname.replace(/\/$/, "")}${pathIn(space, path)}`, base);
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) url.searchParams.append(name, String(one));
  return url.href;
}

/** Checks the name of a space. Errors: it is not a valid name. */
function checkSpace(space: string | undefined): void {
  const { issues } = v.safeParse(v.optional(spaceName), space, { abortPipeEarly: true });
  if (issues) throw usageError(`The space is ${JSON.stringify(space)}; it ${issues[0].message}.`);
}

/**
 * Parses the endpoint. Errors: it is not such a URL. If the URL may contain a password, the message has only its
 * origin.
 */
function baseOf(endpoint: string): URL {
  const url = URL.parse(endpoint);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  const mayBeSecret = /[@?#]/.test(endpoint);
  if (isHttp && !mayBeSecret) return url;
  const right =
    "must be a URL such as http://127.0.0.1:8787 or https://abc123.execute-api.eu-central-1.amazonaws.com";
  throw usageError(
    mayBeSecret
      ? `The endpoint${isHttp ? ` at ${url.origin}` : ""} ${right}, without user, password, query or fragment.`
      : `The endpoint is "${endpoint}"; it ${right}.`,
  );
}

/** Returns the function that sends a request. Signing is slow to load, so only calls to AWS load it. */
async function fetchFor(
  { hostname }: URL,
  { region: said, ...sent }: Access,
  plain: Fetch = (url, init) => fetch(url, init),
): Promise<Fetch> {
  const region = said ?? (sent.token === undefined ? API_GATEWAY.exec(hostname)?.[1] : undefined);
  if (region === undefined) return (url, init) => plain(url, withHeaders(init, sent));
  const [{ AwsClient }, { defaultProvider }] = await Promise.all([
    import("aws4fetch"),
    import("@aws-sdk/credential-provider-node"),
  ]);
  const provider = defaultProvider();
  return async (url, init) => {
    // Read for each request, because credentials expire. The provider caches them until then.
    const credentials = await provider().catch((error: Error) => {
      throw usageError(`No AWS credentials to sign requests with: ${error.message}`);
    });
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const signer: AwsClient = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: "execute-api",
      region,
      retries: 0,
    });
    return signer.fetch(url, withHeaders(init, { apiKey: sent.apiKey }));
  };
}

/** Adds the token and the key. Errors: a header cannot carry it. The message does not contain it. */
function withHeaders(init: RequestInit, { token, apiKey }: Access): RequestInit {
  for (const [name, value] of Object.entries({ PLAT_TOKEN: token, PLAT_API_KEY: apiKey }))
    if (value !== undefined && !/^[\x21-\x7e]+$/.test(value))
      throw usageError(`${name} must have visible ASCII characters only.`);
  const headers = {
    ...init.headers,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(apiKey !== undefined && { "x-api-key": apiKey }),
  };
  return { ...init, headers };
}

function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
