import * as v from "valibot";
import { spaceName, unique, whole } from "../src/api/schema/field.ts";
import { orProblem, Problem } from "../src/api/schema/problem.ts";
import { checked, fields, list, rule } from "../src/api/schema/schema.ts";
import { SHARDS } from "../src/base/limits.ts";
import { UsageError } from "../src/local/usage-error.ts";
import { access } from "./access-choice.ts";
import { ALARM_LEVELS } from "./alarms.ts";
import { api, privateApiProblems } from "./api-choice.ts";
import { consoleChoice, consoleProblems } from "./console-choice.ts";
import { certificateProblems, domain } from "./domain-choice.ts";
import type { EnvironmentName } from "./environments.ts";
import { dynamoTable, pattern } from "./pattern.ts";
import { regionProblem, regionsSetting } from "./regions.ts";
import { trailLock } from "./trail.ts";

/**
 * The maximum number of spaces. Each has four managed policies, and a stack has room for 500 resources
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html). `PlatCaller` has a line for each
 * space, and a managed policy has room for more than these of the longest names in any Region.
 */
export const SPACES_MAX = 20;

/** The ways in which requests move to a new version of their functions. */
const ROLLOUTS = ["at-once", "canary"] as const;
export type Rollout = (typeof ROLLOUTS)[number];

/** With 1 each shard has an execution of its own, for the largest environments. */
const SHARES = [1, 4, SHARDS] as const;

const TRACINGS = ["none", "xray"] as const;

/**
 * The quota of concurrent executions that an account has at first
 * (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html). A new account may have 10.
 */
const LAMBDA_CONCURRENCY_DEFAULT = 1_000;
/** AWS raises the quota to tens of thousands; more than this is a typing error. */
const LAMBDA_CONCURRENCY_MAX = 1_000_000;

export const deployment = v.pipe(
  fields({
    /** The account. A deployment to any other account fails. */
    account: v.optional(pattern(/^\d{12}$/, 'must be an account as text, such as "123456789012"')),
    region: v.optional(
      pattern(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a Region, such as "eu-central-1"'),
    ),
    /** The name of an existing table, such as a restored one. The deployment then creates none. */
    tableName: v.optional(dynamoTable),
    /** The lock of the objects in the trail; none if absent. */
    trailLock: v.optional(trailLock),
    /** True if a customer managed key encrypts the table, the queues, the topics and the logs. */
    customerManagedKey: v.optional(v.boolean("must be true or false")),
    /** The way in which requests move to new versions: all at once, unless named. */
    rollout: v.optional(v.picklist(ROLLOUTS, `must be ${ROLLOUTS.join(" or ")}`)),
    /** Further Regions of the table, with multi-Region strong consistency. */
    regions: v.optional(regionsSetting),
    /** True if a probe assigns and releases an address each minute, in a space of its own. */
    probe: v.optional(v.boolean("must be true or false")),
    /** True if everybody may ask whether Plat is up, without a signature. */
    publicHealth: v.optional(v.boolean("must be true or false")),
    /** The way in which requests are traced: not at all, unless named. */
    tracing: v.optional(v.picklist(TRACINGS, `must be ${TRACINGS.join(" or ")}`)),
    /** True with the dashboard of CloudWatch. */
    dashboard: v.optional(v.boolean("must be true or false"), false),
    /** The alarms: the essential ones, or also warnings. */
    alarms: v.optional(
      v.picklist(ALARM_LEVELS, `must be ${ALARM_LEVELS.join(" or ")}`),
      "essential",
    ),
    /** Shards that share an execution of `reclaim` or `repair`; that of the environment if absent. */
    shardsPerSchedule: v.optional(
      v.picklist(SHARES, `must be ${SHARES.slice(0, -1).join(", ")} or ${SHARES.at(-1)}`),
    ),
    /** The quota of concurrent Lambda executions that the account has in the Region; the alarm before it is at 80 %. */
    lambdaConcurrency: v.optional(whole(1, LAMBDA_CONCURRENCY_MAX), LAMBDA_CONCURRENCY_DEFAULT),
    /** Spaces with managed policies of their own. */
    spaces: v.optional(
      v.pipe(
        list(
          spaceName,
          { max: SPACES_MAX },
          { type: "must be a list of spaces", max: `must be at most ${SPACES_MAX} spaces` },
        ),
        unique<string>("must name each space once"),
      ),
      [],
    ),
    /** The way in which callers are authorized; IAM if absent. */
    access: v.optional(access),
    /** The kind of API: an HTTP API if absent. */
    api: v.optional(api),
    /** The console at `/console` of the API; none if absent. */
    console: v.optional(consoleChoice),
    /** The domain name of the API; API Gateway's own name if absent. */
    domain: v.optional(domain),
  }),
  rule(({ account, region }) =>
    (account === undefined) === (region === undefined)
      ? []
      : [{ field: account ? "region" : "account", problem: "is required beside the other" }],
  ),
  rule(({ region, regions, tableName }) => {
    if (!regions) return [];
    if (region === undefined) return [{ field: "region", problem: "is required beside regions" }];
    if (tableName !== undefined)
      return [
        {
          field: "tableName",
          problem:
            "must be absent beside regions: only an empty table gets several, and docs/restore.md says how to serve from a restored one",
        },
      ];
    const problem = regionProblem(region, regions);
    return problem ? [problem] : [];
  }),
  rule(({ regions, domain }) =>
    regions && domain
      ? [{ field: "domain", problem: "must be absent beside regions: each Region has its own API" }]
      : [],
  ),
  rule(({ access, spaces }) =>
    spaces.length === 0 || access === undefined || access.type === "iam"
      ? []
      : [
          {
            field: "spaces",
            problem: `must be absent beside access of the type "${access.type}": its callers have roles in spaces by their tokens`,
          },
        ],
  ),
  rule(({ api, ...beside }) => (api?.type === "private" ? privateApiProblems(beside) : [])),
  rule(({ console, ...beside }) => (console ? consoleProblems(console, beside) : [])),
  rule(({ region, domain }) => (region && domain ? certificateProblems(domain, region) : [])),
);

/** The target of a deployment. Without an account and a Region, an environment can be synthesized, but not deployed. */
export type Deployment = v.InferOutput<typeof deployment>;

/** Returns the key of an environment in `cdk.context.json`, or in `-c plat:prod='{…}'`. */
export const contextKey = (name: EnvironmentName): string => `plat:${name}`;

/**
 * Reads the context of an environment: an object, or its JSON as the command line has it.
 *
 * @throws {UsageError} if a setting is wrong; the message names it
 */
export function readDeployment(name: EnvironmentName, context: unknown): Deployment {
  const given = typeof context === "string" ? parsed(context) : (context ?? {});
  const read = orProblem(() => checked(deployment, given));
  if (!(read instanceof Problem)) return read;
  throw new UsageError(`${contextKey(name)} is ${JSON.stringify(context)}: ${read.detail}`);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
