import { App } from "aws-cdk-lib";
import { contextKey } from "../../cdk/deployment.ts";
import type { EnvironmentName } from "../../cdk/environments.ts";
import { PlatStage } from "../../cdk/stage.ts";
import type { Settings } from "../../twin/assembly.ts";

/** Callers with JSON Web Tokens of one issuer. */
export const ACCESS_BY_JWT = {
  type: "jwt",
  issuer: "https://login.example.com",
  audience: ["plat"],
  rolesClaim: "plat_roles",
  tenantClaim: "plat_tenant",
};

/** Callers with tokens, whose hashes are in a secret. */
export const ACCESS_BY_TOKEN = { type: "token", secret: "plat/tokens" };

/** A domain name with a record in a hosted zone. */
export const DOMAIN = {
  name: "plat.example.com",
  certificateArn:
    "arn:aws:acm:eu-central-1:123456789012:certificate/12345678-1234-1234-1234-123456789012",
  hostedZoneId: "Z0123456789ABCDEFGHIJ",
};
const { hostedZoneId: _, ...DOMAIN_ELSEWHERE } = DOMAIN;

/**
 * What an environment can choose, each with its values. `undefined` leaves a setting out. The setting `environment` is the
 * environment itself.
 */
const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  environment: ["dev", "prod"],
  access: [undefined, ACCESS_BY_JWT, ACCESS_BY_TOKEN],
  domain: [undefined, DOMAIN, DOMAIN_ELSEWHERE],
  customerManagedKey: [undefined, true],
  rollout: [undefined, "canary"],
  publicHealth: [undefined, true],
  tracing: [undefined, "xray"],
  probe: [undefined, true],
  trailLock: [undefined, { mode: "compliance", days: 400 }],
};

/** Settings with a name for the reports of tests. */
export interface Chosen {
  readonly name: string;
  readonly environment: EnvironmentName;
  readonly settings: Settings;
}

/** Returns the stage of an environment with these settings, without bundles. */
export function stageOf({ environment, settings }: Chosen): PlatStage {
  const context = { "aws:cdk:bundling-stacks": [], [contextKey(environment)]: settings };
  return new PlatStage(new App({ context }), environment);
}

/** A private REST API with all that it can have. */
export const PRIVATE_API = {
  type: "private",
  vpcEndpointIds: ["vpce-0a1b2c3d4e5f67890", "vpce-0123456789abcdef0"],
  webAcl: "block",
  usagePlans: [
    {
      name: "teams",
      keys: ["ci", "lab"],
      throttle: { rateLimit: 50, burstLimit: 100 },
      routes: { "POST /v1/assign": { rateLimit: 20, burstLimit: 40 } },
      quota: { limit: 100_000, period: "DAY" },
    },
  ],
};
/** A private REST API with no more than it must have. */
export const PRIVATE_API_ONLY = { type: "private", vpcEndpointIds: ["vpce-0a1b2c3d4e5f67890"] };

/** The choices beside a private API, which knows neither JSON Web Tokens nor a domain name. */
const { domain: __, ...BESIDE_PRIVATE } = CHOICES;
const PRIVATE_CHOICES = {
  ...BESIDE_PRIVATE,
  access: [undefined, ACCESS_BY_TOKEN],
  api: [PRIVATE_API, PRIVATE_API_ONLY, { ...PRIVATE_API_ONLY, webAcl: "count" }],
};

/** Settings of three Regions. A domain name is not possible beside them. */
const REGIONS = {
  account: "123456789012",
  region: "eu-central-1",
  regions: { replicas: ["eu-west-1"], witness: "eu-west-3", active: "eu-west-1" },
  domain: undefined,
};

/** Returns rows with three Regions, in which each value of every other choice occurs. */
const withRegions = (): readonly Settings[] =>
  Array.from(
    { length: Math.max(...Object.values(CHOICES).map(({ length }) => length)) },
    (_, i) => ({
      ...Object.fromEntries(
        Object.entries(CHOICES).map(([name, values]) => [name, values[i % values.length]]),
      ),
      ...REGIONS,
    }),
  );

/** Returns the choices such that every pair of their values occurs at least once. */
export const everyPair = (): readonly Chosen[] =>
  [...coveringRows(CHOICES), ...coveringRows(PRIVATE_CHOICES), ...withRegions()].map((row) => {
    const { environment, ...settings } = row;
    return {
      name: Object.entries(row)
        .filter(
          ([setting, value]) => value !== undefined && !["account", "region"].includes(setting),
        )
        .map(([setting, value]) => `${setting} ${nameOf(value)}`)
        .join(", "),
      environment: environment as EnvironmentName,
      settings,
    };
  });

/** Returns settings in which every pair of values of two choices occurs at least once. */
export function coveringRows(
  choices: Readonly<Record<string, readonly unknown[]>>,
): readonly Settings[] {
  const names = Object.keys(choices);
  const indexes = (name: string) => [...(choices[name] ?? []).keys()];
  const pairOf = (a: string, i: number, b: string, j: number) => `${a}=${i} ${b}=${j}`;
  const open = new Set(
    names.flatMap((a, at) =>
      names
        .slice(at + 1)
        .flatMap((b) => indexes(a).flatMap((i) => indexes(b).map((j) => pairOf(a, i, b, j)))),
    ),
  );
  const rows: Settings[] = [];
  while (open.size > 0) {
    const row = new Map<string, number>();
    const [first = ""] = open;
    for (const [, name = "", index] of first.matchAll(/(\S+)=(\d+)/g)) row.set(name, Number(index));
    const gain = (name: string, index: number) =>
      [...row].filter(
        ([other, chosen]) =>
          open.has(pairOf(name, index, other, chosen)) ||
          open.has(pairOf(other, chosen, name, index)),
      ).length;
    for (const name of names.filter((one) => !row.has(one)))
      row.set(
        name,
        indexes(name).reduce((best, one) => (gain(name, one) > gain(name, best) ? one : best), 0),
      );
    for (const [a, i] of row) for (const [b, j] of row) open.delete(pairOf(a, i, b, j));
    rows.push(Object.fromEntries([...row].map(([name, index]) => [name, choices[name]?.[index]])));
  }
  return rows;
}

function nameOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return `${value}`;
  const { type, ...others } = value as { readonly type?: string };
  return [...(type === undefined ? [] : [type]), ...Object.keys(others)].join("+");
}
