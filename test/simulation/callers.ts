import type { Random } from "../../src/kernel/values/fresh.ts";
import type { QuotaSpec } from "../../src/nouns/quota/quota.ts";

/** The callers of a run, drawn apart, so that runs without them stay as they are. */
export interface Callers {
  /** The name of the pool that serves one role only, as `namedPrincipal` returns it. */
  readonly pool: string;
  readonly principals: readonly string[];
  /** A quota of this role. */
  readonly quota: QuotaSpec;
  /** The session that sends the requests of each client. */
  of(client: number): string;
}

const CALLERS_SHARE = 0.08;
const ROLE = "arn:aws:iam::123456789012:role/red";
const SESSIONS = ["red", "blue"].map(
  (role) => `arn:aws:sts::123456789012:assumed-role/${role}/session`,
);

/** Draws a pool for some callers only; none in most runs. */
export function drawCallers(
  random: Random,
  pools: readonly { readonly name: string }[],
): Callers | undefined {
  if (random.fraction() >= CALLERS_SHARE) return undefined;
  const pool = pools[Math.floor(random.fraction() * pools.length)];
  return (
    pool && {
      pool: pool.name,
      principals: [ROLE],
      quota: { principal: ROLE, addresses: 6, blocks: 3, requestsPerSecond: 1 },
      of: (n) => SESSIONS[n % 2] as string,
    }
  );
}
