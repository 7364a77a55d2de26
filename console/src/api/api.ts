import { credentialsInShell, signed } from "./credentials.ts";
import { NotSignedIn, Rejection, rejectionIn, rejectionOf, unanswered } from "./rejection.ts";
import type { Session } from "./session.ts";
import { shellLine } from "./shell-line.ts";
import type { Answer, UnreadableItem } from "./types.ts";

/** Query parameters; one without a value is left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** A resource and its version. */
export interface Versioned<T> {
  readonly value: T;
  /** The `ETag`, for the `If-Match` of a change. */
  readonly version: string | undefined;
}

/** A change, as a request. */
export interface Change {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** A path under `/v1` of the space. */
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  /** The version to change, sent as `If-Match`; `none` only creates. Absent for what has no versions. */
  readonly version?: string | undefined;
  /** The `Idempotency-Key`, for a request that may be sent again. */
  readonly key?: string;
}

/** The items of a list, and those of them that this version of Plat cannot read. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly unreadable: readonly UnreadableItem[];
}

/** The API in one space. */
export interface Api {
  /** Returns the line of `curl` that sends a change from a shell. Credentials are variables in it. */
  curlOf(change: Change): string;
  /** Returns the line of `plat` with these words, at the endpoint and in the space of the page. */
  platLineOf(words: readonly string[]): string;
  /** Sends a change. It throws a `Rejection`. */
  send<T>(change: Change): Promise<T>;
  /** Reads a path under `/v1` of the space. It throws a `Rejection`. */
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>;
  /** Reads pages that may come as a stream, and takes each of them. An answer without a stream is one page. It throws a `Rejection`. */
  follow<T>(
    path: string,
    query: Query,
    take: (page: T) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Reads a resource with its version. It throws a `Rejection`. */
  read<T>(path: string, signal?: AbortSignal): Promise<Versioned<T>>;
  /** Returns the API in another space, with the same sign-in. */
  inSpace(name: string): Api;
  /** Asks for other credentials, on request of the user. The page stays as it is below the question. */
  signInAgain(): void;
  /** Reads the names of all spaces. It throws a `Rejection`. */
  spaces(signal?: AbortSignal): Promise<Listing<string>>;
}

/** Makes the API of a space. It belongs to the origin that served the console. */
export function apiOf(space: string, session: Session): Api {
  const prefix = space === "default" ? "/v1" : `/v1/spaces/${encodeURIComponent(space)}`;
  const call = async (request: Request, signal?: AbortSignal): Promise<Response> => {
    const { method, path, query = {}, headers = {}, body, accept } = request;
    const isChange = method !== "GET";
    const root = request.isOfNoSpace ? "/v1" : prefix;
    const url = new URL(`${root}/${path}${queryText(query)}`, location.origin).href;
    const unsigned = { method, url, headers, ...(body !== undefined && { body }) };
    const { credentials } = session;
    const all = new Headers(await signed(unsigned, credentials));
    if (accept !== undefined) all.set("accept", accept);
    const response = await fetch(url, {
      method,
      headers: all,
      ...(body !== undefined && { body }),
      // The API has the sign-in of the console, and no cookie.
      credentials: "omit",
      cache: "no-store",
      ...(signal && { signal }),
    }).catch((error) => {
      if (signal?.aborted) throw error;
      throw isChange ? unanswered() : rejectionOf(error);
    });
    if (response.ok) {
      void session.heard(credentials);
      return response;
    }
    const rejection = await rejectionIn(response, isChange);
    // A page that is gone has read its answer in part, and another one says why.
    signal?.throwIfAborted();
    const signedIn = session.heard(credentials, rejection);
    throw signedIn ? new NotSignedIn(rejection, signedIn) : rejection;
  };
  const read = (path: string, query: Query, signal?: AbortSignal) =>
    call({ method: "GET", path, query }, signal);
  return {
    curlOf(change) {
      const { method, path, query, headers, body } = requestOf(change);
      return shellLine([
        "curl",
        ...["-X", method, `${location.origin}${prefix}/${path}${queryText(query ?? {})}`],
        ...Object.entries(headers ?? {}).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
        ...(body === undefined ? [] : ["-d", body]),
        ...credentialsInShell(session.credentials),
      ]);
    },
    platLineOf: (words) =>
      shellLine([
        "plat",
        ...words,
        ...(location.origin === ENDPOINT_DEFAULT ? [] : ["--endpoint", location.origin]),
        ...(space === "default" ? [] : ["--space", space]),
      ]),
    get: async (path, query = {}, signal) => bodyOf(await read(path, query, signal)),
    send: async (change) => bodyOf(await call(requestOf(change))),
    async follow(path, query, take, signal) {
      const accept = `${STREAM}, application/json`;
      const response = await call({ method: "GET", path, query, accept }, signal);
      if (!response.headers.get("content-type")?.startsWith(STREAM))
        return take(await bodyOf(response));
      for await (const message of messagesOf(response)) take(JSON.parse(message));
    },
    async read(path, signal) {
      const response = await read(path, {}, signal);
      return {
        value: await bodyOf(response),
        version: response.headers.get("etag") ?? undefined,
      };
    },
    inSpace: (name) => apiOf(name, session),
    signInAgain: () => void session.ask({ refused: undefined, canProceed: true }),
    async spaces(signal) {
      const items: string[] = [];
      const unreadable: UnreadableItem[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: SPACES_PER_PAGE, cursor };
        const request = { method: "GET", path: "spaces", query, isOfNoSpace: true } as const;
        const page = await bodyOf<Spaces>(await call(request, signal));
        items.push(...page.spaces.map(({ name }) => name));
        unreadable.push(...(page.unreadable ?? []));
        cursor = page.next;
      } while (cursor !== undefined);
      return { items, unreadable };
    },
  };
}

/** The endpoint of `plat` if nothing names another one. */
const ENDPOINT_DEFAULT = "http://127.0.0.1:8787";
const STREAM = "text/event-stream";
const SPACES_PER_PAGE = 250;
type Spaces = Answer<"spacesRead">;

interface Request {
  /** True for the list of spaces, which is in none of them. */
  readonly isOfNoSpace?: boolean;
  /** The types of the answer that the caller takes; JSON if absent. */
  readonly accept?: string;
  readonly method: "GET" | Change["method"];
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function requestOf({ method, path, query = {}, body, version, key }: Change): Request {
  const headers: Record<string, string> = {
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(version === "none" && { "if-none-match": "*" }),
    ...(version !== undefined && version !== "none" && { "if-match": version }),
    ...(key !== undefined && { "idempotency-key": key }),
  };
  return {
    method,
    path,
    query,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

/** Yields the data of the messages of a stream of server-sent events, each of which is one line. */
async function* messagesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    const messages = (text + read.value).split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) yield message.replace(/^data: /, "");
  }
}

async function bodyOf<T>(response: Response): Promise<T> {
  const body = await response.text();
  try {
    return JSON.parse(body) as T;
  } catch {
    throw new Rejection(
      response.status,
      "The answer is not JSON, so something in front of Plat sent it.",
    );
  }
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/**
 * Returns a name in a path. Its slashes are encoded where a gateway would drop one, because it follows another. Elsewhere they stand as
 * they are: `curl` signs a path as it stands, and an encoded one would need another signature.
 */
export const segment = (name: string): string =>
  /^\/|\/$|\/\//.test(name)
    ? encodeURIComponent(name)
    : name.split("/").map(encodeURIComponent).join("/");
