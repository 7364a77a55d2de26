import * as v from "valibot";
import { unique, whole } from "../src/api/schema/field.ts";
import type { FieldProblem } from "../src/api/schema/problem.ts";
import { fields, list, rule } from "../src/api/schema/schema.ts";
import { orLater } from "../src/constructs/props.ts";
import { keysOf, ROUTES } from "../src/contract/routes.ts";
import type { AccessChoice } from "./access-choice.ts";
import { pattern } from "./pattern.ts";

const VPC_ENDPOINTS_MAX = 20;
const USAGE_PLANS_MAX = 10;
const KEYS_MAX = 50;
const RATE_PER_SECOND_MAX = 10_000;
const BURST_MAX = 5_000;
const QUOTA_MAX = 1_000_000_000;

const name = pattern(
  /^[a-z][a-z0-9-]{0,62}$/,
  'must be a name of small letters, digits and hyphens, such as "ci"',
);

/** The limits of AWS' token bucket: requests in a second, and requests at once. */
const throttle = fields({
  rateLimit: whole(1, RATE_PER_SECOND_MAX),
  burstLimit: whole(1, BURST_MAX),
});

/** The keys of all routes, such as `POST /v1/assign`. */
export const ROUTE_KEYS: readonly string[] = ROUTES.flatMap(keysOf);

const routeKey = v.picklist(ROUTE_KEYS, 'must be the key of a route, such as "POST /v1/assign"');

/** The limits of some callers, whom API Gateway knows by their keys. */
const usagePlan = fields({
  name,
  /** The names of the keys; API Gateway makes their values. */
  keys: v.pipe(
    list(
      name,
      { min: 1, max: KEYS_MAX },
      {
        type: 'must be a list of names, such as ["ci"]',
        min: "must name a key",
        max: `must be at most ${KEYS_MAX} keys`,
      },
    ),
    unique<string>("must name each key once"),
  ),
  throttle,
  /** The limits of single routes, by their keys. */
  routes: v.optional(v.record(routeKey, throttle), {}),
  quota: v.optional(
    fields({
      limit: whole(1, QUOTA_MAX),
      period: v.picklist(["DAY", "WEEK", "MONTH"], "must be DAY, WEEK or MONTH"),
    }),
  ),
});

export type UsagePlanChoice = v.InferOutput<typeof usagePlan>;

const privateApi = v.pipe(
  fields({
    type: v.literal("private"),
    /** The endpoints of VPCs for `execute-api`, through which callers come. */
    vpcEndpointIds: v.pipe(
      list(
        orLater(
          pattern(
            /^vpce-[0-9a-f]{8,17}$/,
            'must be the id of a VPC endpoint, such as "vpce-0a1b2c3d4e5f67890"',
          ),
        ),
        { min: 1, max: VPC_ENDPOINTS_MAX },
        {
          type: "must be a list of VPC endpoints",
          min: "must name a VPC endpoint",
          max: `must be at most ${VPC_ENDPOINTS_MAX} VPC endpoints`,
        },
      ),
      unique<string>("must name each VPC endpoint once"),
    ),
    /** The action for requests that AWS' common rules match; no web ACL if absent. */
    webAcl: v.optional(v.picklist(["count", "block"], "must be count or block")),
    usagePlans: v.optional(
      list(
        usagePlan,
        { max: USAGE_PLANS_MAX },
        {
          type: "must be a list of usage plans",
          max: `must be at most ${USAGE_PLANS_MAX} usage plans`,
        },
      ),
      [],
    ),
  }),
  rule(({ usagePlans }) => [
    ...repeated(
      usagePlans.map((plan) => plan.name),
      "name",
    ),
    // A key can be in one plan of a stage only.
    ...repeated(
      usagePlans.flatMap(({ keys }) => keys),
      "key",
    ),
  ]),
);

/** The kind of API that an environment has. */
export const api = v.variant(
  "type",
  [fields({ type: v.literal("http") }), privateApi],
  ({ path }) =>
    path
      ? 'must be "http" or "private"'
      : 'must be an object with a type, such as {"type": "private"}',
);

export type PrivateApiChoice = v.InferOutput<typeof privateApi>;

/** Returns what a private API cannot have beside it, as the setting and a sentence. */
export function privateApiProblems(beside: {
  readonly access?: AccessChoice | undefined;
  readonly domain?: unknown;
  readonly regions?: unknown;
}): readonly FieldProblem[] {
  const { access, domain, regions } = beside;
  return [
    ...(access?.type === "jwt"
      ? [
          {
            field: "access",
            problem:
              'must be "iam" or "token" beside a private API: API Gateway verifies JSON Web Tokens for an HTTP API only',
          },
        ]
      : []),
    ...(domain
      ? [
          {
            field: "domain",
            problem: "must be absent beside a private API: its VPC endpoints name it",
          },
        ]
      : []),
    ...(regions
      ? [
          {
            field: "api",
            problem: 'must be "http" beside regions: VPC endpoints are those of one Region',
          },
        ]
      : []),
  ];
}

function repeated(names: readonly string[], what: string): readonly FieldProblem[] {
  const twice = names.find((one, i) => names.indexOf(one) !== i);
  return twice === undefined
    ? []
    : [{ field: "usagePlans", problem: `must have each ${what} once; ${twice} is there twice` }];
}
