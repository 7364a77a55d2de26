import { Rejection } from "../base/outcome.ts";
import { assign } from "../kernel/assign/assign.ts";
import type { Context } from "../kernel/core/context.ts";
import { releaseHandle } from "../kernel/release/release-handle.ts";
import { fresh } from "../kernel/values/fresh.ts";
import { PROBE_SPACE } from "../kernel/values/probe.ts";
import { parseCidr } from "../net/cidr.ts";
import { putPool } from "../nouns/pool/operations/administration.ts";
import type { PoolSpec } from "../nouns/pool/pool.ts";

/** The result of a run of the probe. */
export interface ProbeResult {
  /** True if the run created the pool, from which later runs assign. */
  readonly isPrepared: boolean;
  readonly failures: readonly unknown[];
}

/** Addresses for documentation, which no host has (RFC 5737). The cooldown ends before all 16 were used. */
const CIDR = "192.0.2.0/28";
const POOL = "probe";
const COOLDOWN_SECONDS = 60;
const LEASE_SECONDS = 60;

/**
 * Assigns an address in the reserved space and releases it, as a caller does. It creates the pool if no pool serves: the
 * first run, and after an operator deleted the pool. A pool serves from its `effectiveAt` on, so the runs until then
 * do not assign either.
 *
 * @throws {ProbeFailed} if an assign or a release does not do what it should; the message says what
 */
export async function probe(context: Context): Promise<ProbeResult> {
  const handle = `probe-${fresh(context)}`;
  const assigned = await assign(context, {
    space: PROBE_SPACE,
    host: "host:probe",
    wanted: [{ family: 4, count: 1 }],
    handle,
    // What a run leaves that was cut off goes with it: nobody knows its handle.
    leaseSeconds: LEASE_SECONDS,
    attributes: {},
    pools: [],
    digest: handle,
  });
  if (assigned instanceof Rejection) {
    if (assigned.code !== "no_pool_available") throw rejected("assign", assigned);
    const put = await putPool(context, PROBE_SPACE, POOL, poolSpec(), undefined);
    if (put instanceof Rejection && put.code !== "precondition_required")
      throw rejected("creation of the pool", put);
    return { isPrepared: true, failures: [] };
  }
  const { released, complete } = await releaseHandle(context, PROBE_SPACE, handle);
  if (released.length !== 1 || !complete)
    throw new ProbeFailed(`the release freed ${released.length} addresses, and not one`);
  return { isPrepared: false, failures: [] };
}

/** A probe that did not do what it should. Its message names what the probe itself asked for, and nothing of a caller. */
class ProbeFailed extends Error {
  override readonly name = "ProbeFailed";
}

const rejected = (what: string, { code, detail }: Rejection): Error =>
  new ProbeFailed(`the ${what} was rejected: ${code}: ${detail}`);

function poolSpec(): PoolSpec {
  const cidr = parseCidr(CIDR);
  if (!cidr.ok) throw new Error(cidr.problem);
  return {
    cidr: cidr.value,
    blockSize: cidr.value.prefix,
    disabled: false,
    assignmentMode: "Automatic",
    allowedUses: ["Workload"],
    borrowing: "allowed",
    cooldownSeconds: COOLDOWN_SECONDS,
  };
}
