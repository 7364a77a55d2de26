import { found, isPathPart, isRejection, type PlatClient } from "../../client/index.ts";
import { atOnce } from "../space/at-once.ts";
import { addressesOfHandle } from "../space/handles.ts";
import { type Candidate, ownersText } from "./candidates.ts";

const LOOKS_AT_ONCE = 8;

/**
 * Reads each address again, strongly consistent, and returns those with the same assignment and the same owners. Of a
 * handle whose addresses go together it returns all current ones, or none. It returns none if no path can contain the
 * handle.
 */
export async function stillAsSeen(
  client: PlatClient,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
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

async function isAsSeen(client: PlatClient, seen: Candidate): Promise<boolean> {
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
