import pRetry from "p-retry";
import * as v from "valibot";
import { pathIn } from "../api/route.ts";
import { spaceName } from "../api/schema/field.ts";
import { isRecord } from "../api/schema/schema.ts";
import { causesOf, noConnection } from "./connection.ts";
import {
  ApiError,
  InvalidCall,
  mayBeDone,
  NotPlat,
  NotSent,
  PlatError,
  type Problem,
  Unanswered,
} from "./errors.ts";
import { withOwnSignal } from "./own-signal.ts";
import { isRelease, isRepeatable } from "./repeatable.ts";
import type { Call, Reply, Request } from "./request.ts";
import { type Access, type Fetch, fetchFor } from "./signing.ts";

const TRIES_MAX = 5;
const ANSWER_MS_MAX = 30_000;
const RETRY_MS_DEFAULT = 30_000;
const RETRY_MS_MAX = 600_000;
const UNANSWERED_WAIT_MS = 500;
const SHOWN_CHARACTERS_MAX = 200;

/** The surroundings of a client; tests pass their own. */
export interface World {
  /** Waits; an aborted signal ends it, and its reason is thrown. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a number from 0 to 1, for waits that differ between callers. */
  readonly random: () => number;
  /** Returns a time in milliseconds that never moves back. */
  readonly now: () => number;
  /** Sends requests without a signature; by default the built-in `fetch`. */
  readonly fetch?: Fetch;
}

/** The clock, the sleep and the time of the tries of a client. */
export interface Waiting extends Pick<World, "sleep" | "now"> {
  /** The time in which a call begins another try. A wait that does not fit what is left is not begun. */
  readonly retryMs: number;
}

/** Returns what the waits of a client need. Errors: the time of its tries is not valid. */
export function waitingIn(
  { sleep, now }: Pick<World, "sleep" | "now">,
  retryMs = RETRY_MS_DEFAULT,
): Waiting {
  if (!(retryMs >= 0 && retryMs <= RETRY_MS_MAX))
    throw new InvalidCall(
      `retryMs is ${retryMs}; it must be a number of milliseconds from 0 to ${RETRY_MS_MAX}.`,
    );
  return { sleep, now, retryMs };
}

/**
 * Returns the function that calls the API at an endpoint, a URL. It repeats a request after the wait that the answer asks for,
 * or if there was no connection. It also repeats an idempotent request without an answer. If a Region is given, it signs requests with
 * SigV4. Otherwise requests carry the token, if there is one. Without a token it signs requests to an endpoint of API
 * Gateway.
 *
 * @param space the space in the paths; without one the paths name none, and the API acts in `default`
 */
export function callOver(
  endpoint: string,
  space: string | undefined,
  access: Access,
  { random, fetch: plain }: Pick<World, "random" | "fetch">,
  { sleep, now, retryMs }: Waiting,
): Call {
  const base = baseOf(endpoint);
  checkSpace(space);
  const fetching = lazily(() => fetchFor(base, access, plain));
  return async <Body>(request: Request) => {
    const fetch = await fetching();
    let unanswered: PlatError | undefined;
    const endMs = now() + retryMs;
    try {
      return await pRetry(() => attempt<Body>(fetch, base, space, request), {
        retries: TRIES_MAX - 1,
        minTimeout: 0,
        ...(request.signal && { signal: request.signal }),
        onFailedAttempt: ({ error }) => {
          if (error instanceof Again && mayBeDone(error.reason)) unanswered = error.reason;
        },
        shouldRetry: async ({ error, attemptNumber }) => {
          if (!(error instanceof Again)) return false;
          const waitMs = error.waitMs ?? untoldWaitMs(attemptNumber, random());
          if (now() + waitMs > endMs) return false;
          await sleep(waitMs, request.signal);
          return true;
        },
      });
    } catch (error) {
      const reason = error instanceof Again ? error.reason : error;
      // A later try that was not carried out does not change that an earlier one without an answer may have been.
      throw unanswered && isNotCarriedOut(reason) ? after(unanswered, reason) : reason;
    }
  };
}

/** Returns the wait if nobody names one: it doubles with each try, and differs between callers that failed together. */
const untoldWaitMs = (attempt: number, random: number): number =>
  UNANSWERED_WAIT_MS * 2 ** (attempt - 1) * (0.5 + random / 2);

/** An error after which the request may be repeated, following a wait. It has the error to throw after the last try. */
class Again extends Error {
  readonly reason: PlatError;
  /** The wait that the answer asked for. */
  readonly waitMs: number | undefined;

  constructor(reason: PlatError, waitMs?: number) {
    super(reason.message);
    this.reason = reason;
    this.waitMs = waitMs;
  }
}

/** Returns true if this try of the request had no effect; an earlier one may have had one. */
const isNotCarriedOut = (reason: unknown): reason is PlatError =>
  reason instanceof PlatError &&
  !mayBeDone(reason) &&
  (!(reason instanceof ApiError) || reason.problem.retryable);

const after = (unanswered: PlatError, last: PlatError) =>
  new Unanswered(`${unanswered.message}\nThe last try failed otherwise: ${last.message}`);

async function attempt<Body>(
  fetch: Fetch,
  base: URL,
  space: string | undefined,
  request: Request,
): Promise<Reply<Body>> {
  const answered = await exchange(fetch, base, space, request).catch((error: Error) => {
    if (error instanceof PlatError || request.signal?.aborted) throw error;
    const unconnected = noConnection(error, base);
    if (unconnected !== undefined) {
      const reason = new NotSent(unconnected.message);
      throw unconnected.mayPass ? new Again(reason) : reason;
    }
    const reason = new Unanswered(
      `${base.origin} does not answer: ${silenceOf(error)}.${unknownOutcome(request)}`,
    );
    throw isRepeatable(request) ? new Again(reason) : reason;
  });
  const { status, headers, text } = answered;
  const body = parsed(text);
  // Every answer of Plat has content.
  if (status < 300 && isRecord(body) && Object.keys(body).length > 0)
    return { status, etag: headers.get("etag") ?? undefined, body: body as Body };
  if (isProblem(body)) throw rejected(request, body);
  const said = `${base.origin} ${strangeness(answered, base)}`;
  // API Gateway throttles without calling Plat, so a repeat is safe.
  if (status === 429) throw new Again(new NotPlat(status, said), toldWaitMs(headers));
  const turnedAway = TURNED_AWAY[status];
  if (turnedAway !== undefined)
    throw new NotPlat(status, `${said}\n${turnedAway} Plat did not get the request.`);
  // The redirection was not followed, so the request had no effect.
  if (status >= 300 && status < 400) throw new NotPlat(status, said);
  if (status < 500) throw new Unanswered(said);
  // A status of 500 or more without a problem comes from a gateway to which Plat did not answer in time.
  const reason = new Unanswered(`${said}${unknownOutcome(request)}`);
  throw isRepeatable(request) ? new Again(reason, toldWaitMs(headers)) : reason;
}

const NOT_LET_IN =
  "Check the AWS credentials and their permissions. Requests are signed if the endpoint has a name of API Gateway, or a Region is given.";

/** Explanations of rejections by a gateway before Plat, by status. */
const TURNED_AWAY: Readonly<Record<number, string>> = {
  401: NOT_LET_IN,
  403: NOT_LET_IN,
  404: "This is not Plat's own 404. Check the endpoint, with the stage or the path that it may need.",
};

/** Returns the error of a rejection, with a wait if a repeat may help: one without end if nobody says how long. */
function rejected(request: Request, problem: Problem): ApiError | Again {
  const rejection = new ApiError(problem);
  if (!problem.retryable) return rejection;
  const waitMs = (problem.retryAfterSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
  // A write that failed half-way may have happened. Only a rejection proves that it did not.
  const harmless = isRepeatable(request) || (problem.status < 500 && !isRelease(request));
  return harmless ? new Again(rejection, waitMs) : rejection;
}

/** Describes an answer that is not from Plat. */
function strangeness({ url, status, headers, text }: Exchanged, base: URL): string {
  const location = headers.get("location");
  if (location !== null && URL.canParse(location, url.href))
    return `answers ${status} with a redirection.\nUse ${endpointIn(new URL(location, url), url, base)} as the endpoint.`;
  const shown = text.replace(/[\s\p{Cc}]+/gu, " ").slice(0, SHOWN_CHARACTERS_MAX);
  return `answers ${status}, but not as Plat does: ${shown.trim() || "its body is empty"}`;
}

/** Returns the endpoint of which a redirection leads to the same route. */
function endpointIn(location: URL, url: URL, base: URL): string {
  const route = url.pathname.slice(base.pathname.replace(/\/$/, "").length);
  const before = location.pathname.endsWith(route)
    ? location.pathname.slice(0, -route.length)
    : location.pathname;
  return `${location.origin}${before}`;
}

/** An answer, and the URL that was asked. */
type Exchanged = Awaited<ReturnType<typeof exchange>>;

async function exchange(fetch: Fetch, base: URL, space: string | undefined, request: Request) {
  const { method, body, headers, signal } = request;
  const url = urlOf(base, space, request);
  return withOwnSignal(signal, async (own) => {
    const response = await fetch(url.href, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A signature is valid for one URL only, and `fetch` would repeat a POST as a GET.
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(ANSWER_MS_MAX), own.signal]),
    });
    const text = await response.text();
    return { url, status: response.status, headers: response.headers, text };
  });
}

const silenceOf = (error: Error): string =>
  error.name === "TimeoutError"
    ? `no answer within ${ANSWER_MS_MAX / 1_000} s`
    : causesOf(error)[0]?.message || error.message;

/**
 * Returns the message for a write without an answer. It is empty for commands that repeat or release, because they add
 * their own.
 */
const unknownOutcome = (request: Request): string =>
  isRepeatable(request) || isRelease(request)
    ? ""
    : "\nThe change may have been made. Read the resource before you repeat the command.";

const isProblem = (body: unknown): body is Problem =>
  isRecord(body) && typeof body.code === "string" && typeof body.detail === "string";

function urlOf(base: URL, space: string | undefined, { path, query = {} }: Request): URL {
  const url = new URL(`${base.pathname.replace(/\/$/, "")}${pathIn(space, path)}`, base);
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) url.searchParams.append(name, String(one));
  return url;
}

/** Checks the name of a space. Errors: it is not a valid name. */
function checkSpace(space: string | undefined): void {
  const { issues } = v.safeParse(v.optional(spaceName), space, { abortPipeEarly: true });
  if (issues)
    throw new InvalidCall(`The space is ${JSON.stringify(space)}; it ${issues[0].message}.`);
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
  throw new InvalidCall(
    mayBeSecret
      ? `The endpoint${isHttp ? ` at ${url.origin}` : ""} ${right}, without user, password, query or fragment.`
      : `The endpoint is "${endpoint}"; it ${right}.`,
  );
}

/** Returns the wait that a gateway asks for (RFC 9110, section 10.2.3), if it is one in seconds. */
function toldWaitMs(headers: Pick<Headers, "get">): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return seconds >= 0 ? seconds * 1_000 : undefined;
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
