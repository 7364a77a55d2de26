import { formatAddress } from "../../net/address.ts";
import type { Application, ListedAddress } from "../../nouns/application/application.ts";
import { each, restated } from "../../nouns/application/changes.ts";
import { type Context, fresh } from "../core/context.ts";
import { settle } from "./settle.ts";

/**
 * Makes addresses of an application leave, and settles them.
 *
 * @returns the application after it, if it is not gone; nothing if it has changed since it was seen
 */
export async function leave(
  context: Context,
  seen: Application,
  goes: readonly ListedAddress[],
): Promise<{ readonly application: Application | undefined } | undefined> {
  const only = new Set(goes.map(({ address }) => formatAddress(address)));
  if (goes.every(({ state }) => state === "leaving"))
    return { application: await settle(context, seen, { only }) };
  const next = restated(seen, each(goes, "leaving"), fresh(context));
  const written = await context.store.changeApplication("leave", seen, next);
  return written.outcome === "done"
    ? { application: await settle(context, next, { only }) }
    : undefined;
}
