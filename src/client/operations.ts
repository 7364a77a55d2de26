import { OPERATIONS } from "./generated/operations.ts";
import type { operations } from "./generated/schema.ts";
import { type Page, pagesOf } from "./pages.ts";
import { namesInstance } from "./repeatable.ts";
import { type Call, type Path, type Query, type Reply, type Request, segment } from "./request.ts";

/** The name of an operation of the API: `assign`, `putPool`. */
export type OperationName = keyof typeof OPERATIONS & keyof operations;

/** Each operation of the API as a function of its parameters. */
export type Operations = {
  readonly [Name in OperationName]: [Answer<Name>] extends [Done<Name>]
    ? (...given: Given<Name>) => Promise<Reply<Answer<Name>>>
    : {
        (...given: Given<Name, Wet<Parameters<Name>>>): Promise<Reply<Done<Name>>>;
        (...given: Given<Name>): Promise<Reply<Answer<Name>>>;
      };
};

/** The body of an answer to a request that is no dry run. */
export type Done<Name extends OperationName> = Exclude<Answer<Name>, { readonly dryRun: boolean }>;

/** Parameters without a dry run, which the query or the body can ask for. */
type Wet<Given> = {
  [Key in keyof Given]: Key extends "dryRun"
    ? false | undefined
    : Key extends "body"
      ? Wet<Given[Key]>
      : Given[Key];
};

/** Each long answer as its pages, up to the last. */
export type Paged = {
  readonly [Name in PagedName]: (
    ...given: Given<Name>
  ) => AsyncGenerator<Answer<Name>, void, undefined>;
};

type PagedName = {
  [Name in OperationName]: (typeof OPERATIONS)[Name] extends { paged: true } ? Name : never;
}[OperationName];

/**
 * The parameters of an operation: those of its path and of its query by their names, its body, and those of every
 * call. An `undefined` counts as left out.
 */
export type Parameters<Name extends OperationName> = Loose<
  InPath<Name> & InQuery<Name> & InBody<Name> & InHeaders<Name>
> &
  EveryCall;

/** The body of an answer, which depends on the request for some operations. */
export type Answer<Name extends OperationName> = {
  [Status in keyof operations[Name]["responses"]]: operations[Name]["responses"][Status] extends {
    content: { "application/json": infer Body };
  }
    ? Body
    : never;
}[keyof operations[Name]["responses"]];

type Given<Name extends OperationName, All = Parameters<Name>> =
  Record<never, never> extends Parameters<Name> ? [parameters?: All] : [parameters: All];

/** The parameters that every operation has. */
export interface EveryCall {
  /** True if the caller knows that a repeat does no harm; the client knows most such requests by itself. */
  readonly isRepeatable?: boolean | undefined;
  /** Aborts the request, whatever its outcome; the reason of the signal is thrown. */
  readonly signal?: AbortSignal | undefined;
}

type InPath<Name extends OperationName> = Part<operations[Name]["parameters"], "path">;
type InQuery<Name extends OperationName> = Part<operations[Name]["parameters"], "query">;
type InBody<Name extends OperationName> = operations[Name] extends {
  requestBody: { content: { "application/json": infer Body } };
}
  ? { readonly body: Body }
  : unknown;
type InHeaders<Name extends OperationName> = {
  readonly [Parameter in HeaderParameter as (typeof HEADERS)[Parameter] extends keyof HeadersOf<Name>
    ? Parameter extends "ifNoneMatch"
      ? // The answer 304 to a read has no body, so only a write takes it.
        "If-Match" extends keyof HeadersOf<Name>
        ? Parameter
        : never
      : Parameter
    : never]?: string;
};
type HeadersOf<Name extends OperationName> = Part<operations[Name]["parameters"], "header">;
type HeaderParameter = keyof typeof HEADERS;

type Part<All, Name extends string> = All extends { [Key in Name]?: infer One }
  ? [NonNullable<One>] extends [never]
    ? unknown
    : NonNullable<One>
  : unknown;

/** The same type, in which an optional field may also be `undefined`, and a list may be read-only. */
type Loose<T> = T extends readonly (infer Item)[]
  ? readonly Loose<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Loose<T[Key]> | (undefined extends T[Key] ? undefined : never) }
    : T;

/** The headers of requests by the names of their parameters. */
const HEADERS = {
  /** The key of an assign. The client makes one for each call without it. */
  idempotencyKey: "Idempotency-Key",
  /** The ETag that was read: the write changes this version only. */
  ifMatch: "If-Match",
  /** `*`: the write only creates. */
  ifNoneMatch: "If-None-Match",
} as const;

/**
 * Returns the operations over a function that calls the API.
 *
 * @param newKey makes an idempotency key, for each request that takes one and has none
 */
export function operationsOver(
  call: Call,
  newKey: () => string,
): Operations & { readonly pages: Paged } {
  const named = Object.entries(OPERATIONS) as [OperationName, Operation][];
  const requestOf = (operation: Operation, parameters: AnyParameters = {}) =>
    requestFrom(operation, parameters, newKey);
  const functions = named.map(([name, operation]) => [
    name,
    // A mistake in the parameters rejects the promise, as any other failure does.
    async (parameters?: AnyParameters) => call(requestOf(operation, parameters)),
  ]);
  const pages = named
    .filter(([, { paged }]) => paged)
    .map(([name, operation]) => [
      name,
      (parameters?: AnyParameters) => pagesOf<Page>(call, requestOf(operation, parameters)),
    ]);
  return { ...Object.fromEntries(functions), pages: Object.fromEntries(pages) };
}

interface Operation {
  readonly method: Request["method"];
  readonly path: string;
  readonly repeatable?: true;
  readonly keyed?: true;
  readonly paged?: true;
}

interface AnyParameters extends EveryCall {
  readonly body?: unknown;
  readonly [name: string]: unknown;
}

/** Returns the parameters of a query for one of an operation. Each entry of an object is one, under the name of its key. */
const entriesOf = ([name, value]: readonly [string, unknown]): [string, unknown][] =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value)
    : [[name, value]];

function requestFrom(
  { method, path: template, repeatable, keyed }: Operation,
  { body, isRepeatable = repeatable, signal, ...parameters }: AnyParameters,
  newKey: () => string,
): Request {
  const rest = new Map(Object.entries(parameters));
  const taken = (name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return value === undefined ? undefined : String(value);
  };
  const path = template.replace(/\{(\w+)\}/g, (_, name) => segment(taken(name) ?? "")) as Path;
  const headers = Object.entries(HEADERS).flatMap(([name, header]) => {
    const value = taken(name);
    return value === undefined ? [] : [[header, value]];
  });
  // The uid of an instance makes its request safe to repeat, in place of a key.
  if (keyed && !headers.some(([name]) => name === HEADERS.idempotencyKey) && !namesInstance(body))
    headers.push([HEADERS.idempotencyKey, newKey()]);
  return {
    method,
    path,
    query: Object.fromEntries([...rest].flatMap(entriesOf)) as Query,
    ...(body !== undefined && { body }),
    headers: Object.fromEntries(headers),
    ...(isRepeatable !== undefined && { isRepeatable }),
    ...(signal !== undefined && { signal }),
  };
}
