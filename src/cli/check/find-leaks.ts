import type { PlatClient } from "../../client/index.ts";
import type { OwnedAddress } from "../space/contents.ts";
import { agedOf, brakeFor, type Candidate, type Caution, candidatesIn } from "./candidates.ts";
import type { Inventory } from "./inventory.ts";
import { type Judged, judge } from "./leak.ts";
import type { Leaks } from "./report.ts";
import { stillAsSeen } from "./second-look.ts";

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
    readonly earlier: readonly Candidate[];
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
