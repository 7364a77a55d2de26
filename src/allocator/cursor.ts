import { Unreadable, unlessUnreadable } from "../domain/outcome.ts";
import type { Context } from "./context.ts";

/** Where a pass stopped. One that cannot be read is a failure, and the pass begins anew: then work is looked at twice. */
export async function readCursor(
  { store }: Context,
  pass: string,
  failures: unknown[],
): Promise<string | undefined> {
  const position = await unlessUnreadable(store.readCursor(pass));
  if (!(position instanceof Unreadable)) return position;
  failures.push(position);
  return undefined;
}
