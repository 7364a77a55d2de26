import type { Block } from "./block.ts";
import type { HostId } from "./host.ts";
import type { Slot } from "./slot.ts";

/**
 * The reason of a release. `released`: its caller released it, or Plat did after its lease or its node ended.
 * `conflict`: its caller reported that somebody else uses it. `held`: it waits for the next instance of its application.
 * `withdrawn`: the request that took it was given up, and nobody was told of the address.
 */
type ReleaseReason = "released" | "conflict" | "held" | "withdrawn";

/** The effect of a write on one slot of a block. The slot of a block that is a prefix stands for all its addresses. */
export type SlotEvent = {
  readonly ordinal: number;
  /** The token of the part that got the slot, or lost it. */
  readonly token: string;
  readonly handleHash: string;
} & ({ readonly kind: "assigned" } | { readonly kind: "released"; readonly reason: ReleaseReason });

/**
 * Returns what a write did to the slots of a block, by ordinal. A slot that went to another owner in one write has two
 * events, the release first.
 *
 * @param before the block before the write; nothing if the write created it
 * @param after the block after the write; nothing if the write deleted it
 */
export function slotEvents(
  before: Pick<Block, "slots"> | undefined,
  after: Pick<Block, "slots"> | undefined,
): readonly SlotEvent[] {
  const ordinals = new Set([...(before?.slots.keys() ?? []), ...(after?.slots.keys() ?? [])]);
  return [...ordinals]
    .sort((a, b) => a - b)
    .flatMap((ordinal) =>
      eventsOfSlot(before?.slots.get(ordinal), after?.slots.get(ordinal)).map((event) => ({
        ordinal,
        ...event,
      })),
    );
}

type OfSlot = SlotEvent extends infer Each
  ? Each extends unknown
    ? Omit<Each, "ordinal">
    : never
  : never;

function eventsOfSlot(from: Slot | undefined, to: Slot | undefined): readonly OfSlot[] {
  const lost = from?.kind === "taken" ? from : undefined;
  const got = to?.kind === "taken" ? to : undefined;
  if (lost?.token === got?.token) return [];
  return [
    ...(lost ? [{ kind: "released", ...ownerIn(lost), reason: reasonOf(to) } as const] : []),
    ...(got ? [{ kind: "assigned", ...ownerIn(got) } as const] : []),
  ];
}

const ownerIn = ({ token, handleHash }: Extract<Slot, { readonly kind: "taken" }>) => ({
  token,
  handleHash,
});

function reasonOf(to: Slot | undefined): ReleaseReason {
  switch (to?.kind) {
    case "quarantined":
      return "conflict";
    case "held":
      return "held";
    case "cooling":
      return "released";
    default:
      return "withdrawn";
  }
}

/** The effect of a write on the affinity of a block. */
export interface HostEvent {
  readonly kind: "claimed" | "released";
  readonly host: HostId;
}

/** Returns who lost the affinity of a block by a write, and who got it. */
export function hostEvents(
  before: Pick<Block, "host"> | undefined,
  after: Pick<Block, "host"> | undefined,
): readonly HostEvent[] {
  if (before?.host === after?.host) return [];
  return [
    ...(before?.host === undefined ? [] : [{ kind: "released", host: before.host } as const]),
    ...(after?.host === undefined ? [] : [{ kind: "claimed", host: after.host } as const]),
  ];
}
