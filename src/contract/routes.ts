import type * as v from "valibot";
import {
  type DefaultFunction,
  type FunctionName,
  inNamedSpace,
  leavesSpaceOut,
  type Route,
} from "../api/route.ts";
import { ADDRESS_ROUTES } from "../nouns/address/contract/routes.ts";
import { AFFINITY_ROUTES } from "../nouns/affinity/contract/routes.ts";
import { ALARM_ROUTES } from "../nouns/alarm/contract/routes.ts";
import { APPLICATION_ROUTES } from "../nouns/application/contract/routes.ts";
import { BLOCK_ROUTES } from "../nouns/block/contract/routes.ts";
import { CILIUM_ROUTES } from "../nouns/cilium/contract/routes.ts";
import { CONTENTS_ROUTES } from "../nouns/contents/contract/routes.ts";
import { HISTORY_ROUTES } from "../nouns/event/contract/routes.ts";
import { JOB_ROUTES } from "../nouns/job/contract/routes.ts";
import { NODE_ROUTES } from "../nouns/node/contract/routes.ts";
import { POOL_ROUTES } from "../nouns/pool/contract/routes.ts";
import { PREFIX_ROUTES } from "../nouns/prefix/contract/routes.ts";
import { QUOTA_ROUTES } from "../nouns/quota/contract/routes.ts";
import { REGISTRY_ROUTES } from "../nouns/registry/contract/routes.ts";
import { RESERVATION_ROUTES } from "../nouns/reservation/contract/routes.ts";
import { SERVICE_ROUTES } from "../nouns/service/contract/routes.ts";
import { CONFIGURATION_ROUTES } from "../nouns/settings/contract/routes.ts";
import { SPACE_ROUTES } from "../nouns/space/contract/routes.ts";
import { UTILIZATION_ROUTES } from "../nouns/utilization/contract/routes.ts";

export {
  type DefaultFunction,
  type FunctionName,
  keysOf,
  methodsOf,
  type Route,
} from "../api/route.ts";

/** Each route once, those that act in a space by the path that names none. */
const WRITTEN = [
  ...ADDRESS_ROUTES,
  ...PREFIX_ROUTES,
  ...BLOCK_ROUTES,
  ...AFFINITY_ROUTES,
  ...UTILIZATION_ROUTES,
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
  ...CONTENTS_ROUTES,
  ...SERVICE_ROUTES,
] as const;

type Written = (typeof WRITTEN)[number];

/** The written routes by their keys, such as `GET /v1/pools/{name}`. */
type ByKey = { readonly [R in Written as `${R["method"]} ${R["path"]}`]: R };

/** The keys of the routes of a function. `$default` is the key of the function that answers what no route takes. */
export type RouteKey<Name extends FunctionName = FunctionName> =
  | { [Key in keyof ByKey]: ByKey[Key]["function"] extends Name ? Key : never }[keyof ByKey]
  | (DefaultFunction extends Name ? "$default" : never);

/** The keys of the writes that require a role less than an operator, each with this role. */
export type RoleOfKey = {
  readonly [Key in keyof ByKey as ByKey[Key] extends { readonly role: string }
    ? Key
    : never]: ByKey[Key] extends { readonly role: infer Name } ? Name : never;
};

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
export type DeclaredAnswer<Key extends RouteKey> = Key extends keyof ByKey
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
