import type { Owners } from "../../kernel/values/owner.ts";
import type { OwnedAddress } from "../space/contents.ts";
import type { Judged, LeakReason } from "./leak.ts";

/** An address that seems to have no owner, until a second look confirms it. */
export interface LeakCandidate
  extends Pick<
    OwnedAddress,
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
  readonly reason: LeakReason;
  readonly firstSeenAtMs: number;
}

/** The grace period and the brake. */
export interface Caution {
  /** The seconds that must lie between the first look and the inventory that confirms it; 0 confirms none. */
  readonly graceSeconds: number;
  /**
   * The share of candidates among judged addresses above which the brake is on: so many look like an outage or a wrong
   * inventory.
   */
  readonly brakePercent: number;
}

export interface Brake {
  readonly applied: boolean;
  readonly percent: number;
  readonly judged: number;
  readonly candidates: number;
}

/**
 * The minimum of candidates for the brake. Fewer are no sign of an outage, because two of three pods may really be
 * gone.
 */
export const BRAKE_CANDIDATES_MIN = 10;

/** Returns the candidates among judged addresses; a candidate of an earlier look keeps its time. */
export function candidatesIn(
  judged: readonly Judged[],
  earlier: readonly LeakCandidate[],
  nowMs: number,
): readonly LeakCandidate[] {
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

/** Returns a text for an assignment with its owners. A change of the owners makes a new candidate. */
const identityOf = ({
  address,
  generation,
  owner,
}: Pick<LeakCandidate, "address" | "generation" | "owner">) =>
  `${address} ${generation} ${ownersText(owner)}`;

type Side = Owners["active"] | undefined;

/** Returns one text for owners, independent of the order of their attributes. */
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
 * Returns the candidates that may be confirmed: seen before, and still missing in an inventory that was taken after the
 * grace period. It returns all or none of a handle whose addresses go together. It returns none while the brake is on.
 * It never returns an address of a handle with a limit, because the handle can get it again at any moment. That request
 * leaves no trace by which a release could be fenced.
 */
export function agedOf(
  candidates: readonly LeakCandidate[],
  {
    takenAtMs,
    brake,
    graceSeconds,
  }: { readonly takenAtMs: number; readonly brake: Brake; readonly graceSeconds: number },
): readonly LeakCandidate[] {
  if (brake.applied || graceSeconds === 0) return [];
  const isAged = ({ firstSeenAtMs, limited }: LeakCandidate) =>
    !limited && takenAtMs >= firstSeenAtMs + 1_000 * graceSeconds;
  const parted = new Set(
    candidates.filter((one) => one.together && !isAged(one)).map(({ handle }) => handle),
  );
  return candidates.filter((one) => isAged(one) && !(one.together && parted.has(one.handle)));
}
