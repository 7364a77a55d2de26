import type { RejectionCode } from "../../src/base/outcome.ts";
import { FAULTS } from "./scheduler.ts";
import type { Share, Tally } from "./tally.ts";
import { excuseOf } from "./unreached.ts";

/** The minimum share of a campaign in which something must occur. */
const SHARE_MIN = 0.01;

/**
 * Whether a walk can reject with a code. No walk names a cluster or sends a list of its nodes: `test/functions/clusters.test.ts`
 * meets these codes.
 */
const CAN_REJECT: Readonly<Record<RejectionCode, boolean>> = {
  invalid_request: true,
  not_found: true,
  already_assigned: true,
  pool_exhausted: true,
  no_pool_available: true,
  host_not_registered: true,
  block_limit: true,
  block_too_small: true,
  handle_limit: true,
  strict_affinity: true,
  pool_forbidden: true,
  quota_exceeded: true,
  rate_limited: true,
  generation_conflict: true,
  request_in_progress: true,
  already_released: true,
  address_cooling: true,
  address_quarantined: true,
  idempotency_mismatch: true,
  precondition_failed: true,
  prefix_mismatch: true,
  node_gone: true,
  precondition_required: true,
  pool_overlap: true,
  pool_deleting: true,
  space_in_use: true,
  pool_in_use: true,
  prefix_in_use: true,
  other_cluster: false,
  too_many_missing: false,
};

/** Every code with which a walk can reject. */
export const REJECTIONS = Object.entries(CAN_REJECT).flatMap(([code, can]) => (can ? [code] : []));

/** Prints the events of a campaign's runs, the rarest first. */
export function printShares(tally: Tally): void {
  const kinds = [["call"], ["error"], ["fault", FAULTS], ["answer", REJECTIONS]] as const;
  for (const [kind, expected] of kinds) print(tally, tally.shares(kind, expected));
}

/**
 * Prints the number of runs in which each branch of the walks was taken.
 *
 * @returns the branches, faults and answers that occurred too rarely, and have no excuse
 */
export function printCoverage(tally: Tally): readonly string[] {
  const branches = tally.branches();
  print(tally, branches);
  const isRare = ({ runs }: Share) => runs < SHARE_MIN * tally.runs;
  const rare = branches.filter(isRare);
  const excused = rare.map(({ branch, around, ...share }) => ({
    ...share,
    why: excuseOf([branch, ...around]),
  }));
  const unexcused = excused.filter(({ why }) => why === undefined);
  console.log("excused:");
  for (const { what, runs, why } of excused)
    if (why !== undefined) console.log(`${percent(tally, runs)} ${what} (${why})`);
  const never = branches.filter(({ runs }) => runs === 0).length;
  console.log(
    `${branches.length} branches: ${branches.length - rare.length} in at least 1 % of the runs, ` +
      `${rare.length - never} in less, ${never} in none; ${rare.length - unexcused.length} are excused`,
  );
  return [
    ...tally.shares("fault", FAULTS).filter(isRare),
    ...tally.shares("answer", REJECTIONS).filter(isRare),
    ...unexcused,
  ].map(({ what, runs }) => `${percent(tally, runs)} ${what}`);
}

function print(tally: Tally, shares: readonly Share[]): void {
  for (const { what, runs } of shares) console.log(`${percent(tally, runs)} ${what}`);
}

const percent = ({ runs }: Tally, some: number) =>
  `${((100 * some) / runs).toFixed(2).padStart(6)} %`;
