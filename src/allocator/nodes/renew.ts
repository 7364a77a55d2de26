import { SIGN_OF_LIFE_MS } from "../../domain/limits.ts";
import type { SignOfLife } from "../../domain/node-report.ts";
import type { Context } from "../core/context.ts";

/**
 * Notes the renewal of a node's Lease, if it is a new one. A function writes at most one in `SIGN_OF_LIFE_MS`.
 *
 * @returns `stale` for a renewal that is known
 */
export async function renew(
  { store, cache, now }: Context,
  { space, name, renewedAt }: Omit<SignOfLife, "seenAtMs">,
): Promise<"applied" | "stale"> {
  const key = `${space}#${name}`;
  const known = cache.leases.get(key) ?? (await store.readSignOfLife(space, name));
  const sign: SignOfLife = { space, name, renewedAt, seenAtMs: now() };
  if (known) cache.leases.set(key, known);
  if (known && known.renewedAt >= renewedAt) return "stale";
  if (known && sign.seenAtMs - known.seenAtMs < SIGN_OF_LIFE_MS) return "applied";
  await store.putSignOfLife(sign);
  cache.leases.set(key, sign);
  return "applied";
}
