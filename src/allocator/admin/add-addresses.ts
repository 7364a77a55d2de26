import type { AddressSet } from "../../domain/address-set.ts";
import type { Rejection } from "../../domain/outcome.ts";
import { noneUnread, type Pool } from "../../domain/pool.ts";
import { type Context, fresh } from "../core/context.ts";
import { cutCheck } from "./cut-check.ts";
import { rejectShared } from "./reject-shared.ts";
import { knownOutcome } from "./written.ts";

/**
 * Keeps addresses for a ranged pool that is about to get them: its item says so → then all pools are read. If another pool has one
 * of them, the first step is undone. Of two pools that want one address at once, at least one sees the other, so one or none gets it.
 * After a crash the pool keeps the addresses from others until its next change, or until a job frees them.
 *
 * @returns the pool as its item is then; nothing if another request changed it meanwhile
 */
export async function addAddresses(
  context: Context,
  seen: Pool,
  added: AddressSet,
): Promise<Pool | Rejection | undefined> {
  const { store } = context;
  const { adding: _, ...before } = seen;
  const adding: Pool = { ...before, adding: added, revision: fresh(context) };
  const put = await knownOutcome(store.changePool("add-addresses", seen, adding));
  if (put.outcome === "lost") return undefined;
  const configuration = await store.readSpace(seen.space);
  // The set of a pool that cannot be read is not known.
  noneUnread(configuration);
  const shared =
    (await rejectShared(context, seen, added, configuration.pools)) ??
    (await cutCheck(context, seen, added, configuration));
  if (shared) await store.changePool("add-undo", adding, { ...before, revision: fresh(context) });
  return shared ?? adding;
}
