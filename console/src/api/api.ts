import { Rejection, rejectionIn, rejectionOf } from "./rejection.ts";

/** Query parameters; one without a value is left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** A resource and its version. */
export interface Versioned<T> {
  readonly value: T;
  /** The `ETag`, for the `If-Match` of a change. */
  readonly version: string | undefined;
}

/** The API in one space. */
export interface Api {
  /** Reads a path under `/v1` of the space. It throws a `Rejection`. */
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>;
  /** Reads a resource with its version. It throws a `Rejection`. */
  read<T>(path: string, signal?: AbortSignal): Promise<Versioned<T>>;
}

/** The token of who is signed in. It stays in memory, and a reload forgets it. */
export interface Session {
  readonly token: string | undefined;
  /** Called when the API requires a token, or another one. */
  unauthenticated(): void;
}

/** Makes the API of a space. It belongs to the origin that served the console. */
export function apiOf(space: string, session: Session): Api {
  const prefix = space === "default" ? "/v1" : `/v1/spaces/${encodeURIComponent(space)}`;
  const send = async (path: string, query: Query, signal?: AbortSignal): Promise<Response> => {
    const response = await fetch(`${prefix}/${path}${queryText(query)}`, {
      headers: session.token ? { authorization: `Bearer ${session.token}` } : {},
      // The API has the sign-in of the console, and no cookie.
      credentials: "omit",
      cache: "no-store",
      ...(signal && { signal }),
    }).catch((error) => {
      if (signal?.aborted) throw error;
      throw rejectionOf(error);
    });
    if (response.ok) return response;
    if (response.status === 401) session.unauthenticated();
    throw await rejectionIn(response);
  };
  return {
    get: async (path, query = {}, signal) => bodyOf(await send(path, query, signal)),
    async read(path, signal) {
      const response = await send(path, {}, signal);
      return {
        value: await bodyOf(response),
        version: response.headers.get("etag") ?? undefined,
      };
    },
  };
}

async function bodyOf<T>(response: Response): Promise<T> {
  const body = await response.text();
  try {
    return JSON.parse(body) as T;
  } catch {
    throw new Rejection(response.status, "The answer is not JSON: something before Plat sent it.");
  }
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/** Returns a name as a part of a path. A name with slashes may keep them. */
export const segment = (name: string): string => name.split("/").map(encodeURIComponent).join("/");
