import { found, isPathPart, isRejection, type PlatClient } from "../../client/index.ts";
import { atOnce } from "../space/at-once.ts";
import type { OwnedAddress } from "../space/contents.ts";
import { addressesOfHandle } from "../space/handles.ts";
import {
  agedOf,
  brakeFor,
  type Caution,
  candidatesIn,
  type LeakCandidate,
  ownersText,
} from "./candidates.ts";
import type { Inventory } from "./inventory.ts";
import { type Judged, judge } from "./leak.ts";
import type { Leaks } from "./report.ts";

/**
 * Finds assigned addresses whose owner is gone: candidates, and confirmed leaks. A leak is confirmed by two inventories
 * a grace period apart, and a strongly consistent read now.
 *
 * @param earlier the candidates of the check before
 */
export async function findLeaks(
  client: PlatClient,
  assigned: readonly OwnedAddress[],
  inventory: Inventory,
  {
    earlier,
    nowMs,
    caution,
  }: {
    readonly earlier: readonly LeakCandidate[];
    readonly nowMs: number;
    readonly caution: Caution;
  },
): Promise<Leaks & { readonly judged: readonly Judged[] }> {
  const judged = judge(assigned, inventory);
  const brake = brakeFor(judged, caution);
  const candidates = candidatesIn(judged, earlier, nowMs);
  const { graceSeconds } = caution;
  const aged = agedOf(candidates, { takenAtMs: inventory.takenAtMs, brake, graceSeconds });
  const confirmed = await stillAsSeen(client, aged);
  return { inventory, graceSeconds, brake, judged, candidates, confirmed };
}

const LOOKS_AT_ONCE = 8;

/**
 * Reads each address again, strongly consistent, and returns those with the same assignment and the same owners. Of a
 * handle whose addresses go together it returns all current ones, or none. It returns none if no path can contain the
 * handle.
 */
export async function stillAsSeen(
  client: PlatClient,
  candidates: readonly LeakCandidate[],
): Promise<readonly LeakCandidate[]> {
  const looks = await atOnce(candidates, LOOKS_AT_ONCE, (one) => isAsSeen(client, one));
  const current = candidates.filter((_, i) => looks[i]);
  const handles = [
    ...new Set(current.filter(({ together }) => together).map(({ handle }) => handle)),
  ];
  const leaving = new Set(current.map(({ generation }) => generation));
  const whole = await atOnce(
    handles,
    LOOKS_AT_ONCE,
    async (handle) =>
      isPathPart(handle) && (await generationsOf(client, handle)).every((one) => leaving.has(one)),
  );
  const parted = new Set(handles.filter((_, i) => !whole[i]));
  return current.filter(({ together, handle }) => !(together && parted.has(handle)));
}

async function isAsSeen(client: PlatClient, seen: LeakCandidate): Promise<boolean> {
  try {
    const now = (await found(client.readAddress({ ip: seen.address })))?.body;
    return (
      now?.state === "assigned" &&
      now.generation === seen.generation &&
      ownersText(now.owner ?? {}) === ownersText(seen.owner)
    );
  } catch (error) {
    // Leaves an item that cannot be read; the check reports it.
    if (isRejection(error, "unreadable")) return false;
    throw error;
  }
}

/** Returns the generations of a handle; nothing if it has no addresses, because then none must go together. */
async function generationsOf(client: PlatClient, handle: string): Promise<readonly string[]> {
  const addresses = (await found(addressesOfHandle(client, handle))) ?? [];
  return addresses.map(({ generation = "" }) => generation);
}
