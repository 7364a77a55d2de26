import type * as v from "valibot";
import { ADDRESS_ROUTES } from "./addresses.ts";
import { ALARM_ROUTES } from "./alarms.ts";
import { APPLICATION_ROUTES } from "./applications.ts";
import { BLOCK_ROUTES } from "./blocks.ts";
import { CILIUM_ROUTES } from "./cilium.ts";
import { CONFIGURATION_ROUTES } from "./configuration.ts";
import { HISTORY_ROUTES } from "./histories.ts";
import { JOB_ROUTES } from "./jobs.ts";
import { NODE_ROUTES } from "./nodes.ts";
import { POOL_ROUTES } from "./pools.ts";
import { PREFIX_ROUTES } from "./prefixes.ts";
import { QUOTA_ROUTES } from "./quotas.ts";
import { REGISTRY_ROUTES } from "./registry.ts";
import { RESERVATION_ROUTES } from "./reservations.ts";
import {
  type DefaultFunction,
  type FunctionName,
  inNamedSpace,
  leavesSpaceOut,
  type Route,
} from "./route.ts";
import { SERVICE_ROUTES } from "./service.ts";
import { SPACE_ROUTES } from "./spaces.ts";

export { type DefaultFunction, type FunctionName, keysOf, methodsOf, type Route } from "./route.ts";

/** Each route once, those that act in a space by the path that names none. */
const WRITTEN = [
  ...ADDRESS_ROUTES,
  ...PREFIX_ROUTES,
  ...BLOCK_ROUTES,
  ...POOL_ROUTES,
  ...ALARM_ROUTES,
  ...JOB_ROUTES,
  ...RESERVATION_ROUTES,
  ...QUOTA_ROUTES,
  ...REGISTRY_ROUTES,
  ...APPLICATION_ROUTES,
  ...NODE_ROUTES,
  ...CILIUM_ROUTES,
  ...HISTORY_ROUTES,
  ...CONFIGURATION_ROUTES,
  ...SPACE_ROUTES,
  ...SERVICE_ROUTES,
] as const;

type Written = (typeof WRITTEN)[number];

/** The written routes by their keys, such as `GET /v1/pools/{name}`. */
type ByKey = { readonly [R in Written as `${R["method"]} ${R["path"]}`]: R };

/** The keys of the routes of a function. `$default` is the key of the function that answers what no route takes. */
export type RouteKey<Name extends FunctionName = FunctionName> =
  | { [Key in keyof ByKey]: ByKey[Key]["function"] extends Name ? Key : never }[keyof ByKey]
  | (DefaultFunction extends Name ? "$default" : never);

/** The keys of the writes that the role `caller` may send. */
export type CallerKey = {
  [Key in keyof ByKey]: ByKey[Key] extends { readonly role: "caller" } ? Key : never;
}[keyof ByKey];

/** A body as a schema lets it through: nobody changes it after that. */
type ReadOnly<T> = T extends readonly (infer Each)[]
  ? readonly ReadOnly<Each>[]
  : T extends object
    ? { readonly [Name in keyof T]: ReadOnly<T[Name]> }
    : T;

type BodyOf<Schema> = Schema extends v.GenericSchema ? ReadOnly<v.InferOutput<Schema>> : object;

type AnswersOf<Answers> = {
  readonly [Status in Exclude<keyof Answers, 304>]: {
    readonly status: Status;
    readonly body: BodyOf<Answers[Status]>;
  };
}[Exclude<keyof Answers, 304>];

/** The answer of a route in NDJSON: the results of its body, each a line. */
type LinesOf<R> = R extends {
  readonly ndjson: true;
  readonly answers: { readonly 200: infer Schema };
}
  ? BodyOf<Schema> extends { readonly results: infer Results }
    ? { readonly status: 200; readonly body: Results; readonly lines: true }
    : never
  : never;

/**
 * The status and the body of the answers that are declared for a route. No route answers 304 by itself: the function does, for a
 * caller that has the answer already.
 */
export type Declared<Key extends RouteKey> = Key extends keyof ByKey
  ? AnswersOf<ByKey[Key]["answers"]> | LinesOf<ByKey[Key]>
  : { readonly status: number; readonly body: object | undefined };

/** The routes of the API: one that acts in a space also by the path that names the space. */
export const ROUTES: readonly Route[] = [
  ...WRITTEN,
  ...WRITTEN.filter(({ path }) => leavesSpaceOut(path)).map((route: Route) => ({
    ...route,
    path: inNamedSpace(route.path),
    id: `${route.id}InSpace`,
    summary: `In a named space: ${route.summary.charAt(0).toLowerCase()}${route.summary.slice(1)}`,
  })),
];
