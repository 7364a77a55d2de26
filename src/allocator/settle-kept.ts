import type { AssignmentRecord } from "../domain/record.ts";
import { type Context, fresh } from "./context.ts";

/** A kept record that is finished needs its parts no more: nobody looks at its blocks, or fences them, again. */
export async function settleKept(context: Context, seen: AssignmentRecord): Promise<void> {
  if (seen.parts.length === 0) return;
  const revision = fresh(context);
  const next = { ...seen, state: "released", parts: [], owners: new Map(), revision } as const;
  await context.store.changeRecord("settle-kept", seen, next);
}
