import type { Owners } from "../../domain/owner.ts";
import type { Assigned } from "../snapshot/assigned.ts";
import type { Judged, Reason } from "./leak.ts";

/** An address that is believed to be nobody's, until somebody has looked twice. */
export interface Candidate
  extends Pick<
    Assigned,
    | "address"
    | "generation"
    | "handle"
    | "host"
    | "affinityType"
    | "pool"
    | "owner"
    | "together"
    | "limited"
  > {
  readonly reason: Reason;
  readonly firstSeenAtMs: number;
}

/** The grace period and the brake. */
export interface Caution {
  /** Two inventories must show it, the later one taken this long after the earlier was looked at; 0: never confirmed. */
  readonly graceSeconds: number;
  /** More candidates than this, of the addresses that could be judged, look like an outage or a wrong inventory. */
  readonly brakePercent: number;
}

export interface Brake {
  readonly applied: boolean;
  readonly percent: number;
  readonly judged: number;
  readonly candidates: number;
}

/** Fewer are no sign of an outage: of three pods two may well be gone. */
export const BRAKE_CANDIDATES_MIN = 10;

/** The candidates among judged addresses; what an earlier look has seen already keeps its time. */
export function candidatesIn(
  judged: readonly Judged[],
  earlier: readonly Candidate[],
  nowMs: number,
): readonly Candidate[] {
  const known = new Map(earlier.map((one) => [identityOf(one), one.firstSeenAtMs]));
  return judged.flatMap(({ judgement, ...one }) => {
    if (judgement.verdict !== "gone") return [];
    const { address, generation, handle, host, affinityType, pool, owner, together, limited } = one;
    return [
      {
        ...{ address, generation, handle, host, affinityType, pool, owner, together, limited },
        reason: judgement.reason,
        firstSeenAtMs: known.get(identityOf(one)) ?? nowMs,
      },
    ];
  });
}

/** The same assignment to the same owners: one that has got another owner since is another matter. */
const identityOf = ({
  address,
  generation,
  owner,
}: Pick<Candidate, "address" | "generation" | "owner">) =>
  `${address} ${generation} ${ownersText(owner)}`;

type Side = Owners["active"] | undefined;

/** The one text of owners, in whatever order their attributes come. */
export function ownersText({
  active,
  alternate,
}: { readonly [side in keyof Owners]: Side }): string {
  const sorted = (side: Side) => Object.entries(side ?? {}).sort();
  return JSON.stringify([sorted(active), sorted(alternate)]);
}

export function brakeFor(
  judged: readonly Judged[],
  { brakePercent }: Pick<Caution, "brakePercent">,
): Brake {
  const verdicts = judged.map(({ judgement }) => judgement.verdict);
  const candidates = verdicts.filter((verdict) => verdict === "gone").length;
  const all = verdicts.filter((verdict) => verdict !== "unjudged").length;
  return {
    applied: candidates >= BRAKE_CANDIDATES_MIN && 100 * candidates > brakePercent * all,
    percent: brakePercent,
    judged: all,
    candidates,
  };
}

/**
 * Those that may be confirmed: seen before, and missing still in an inventory that was taken after the grace period. A
 * handle's that go together come all or none. None at all while the brake is on. Never one under a limit of its handle: the
 * handle may come back to it at any moment, by a request that leaves no trace which a release could be fenced by.
 */
export function agedOf(
  candidates: readonly Candidate[],
  {
    takenAtMs,
    brake,
    graceSeconds,
  }: { readonly takenAtMs: number; readonly brake: Brake; readonly graceSeconds: number },
): readonly Candidate[] {
  if (brake.applied || graceSeconds === 0) return [];
  const isAged = ({ firstSeenAtMs, limited }: Candidate) =>
    !limited && takenAtMs >= firstSeenAtMs + 1_000 * graceSeconds;
  const parted = new Set(
    candidates.filter((one) => one.together && !isAged(one)).map(({ handle }) => handle),
  );
  return candidates.filter((one) => isAged(one) && !(one.together && parted.has(one.handle)));
}
