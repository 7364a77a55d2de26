import { NAMES_SHOWN_MAX } from "./limits.ts";
import { Rejection } from "./outcome.ts";
import type { Pool } from "./pool.ts";
import type { Requester } from "./requester.ts";
import type { Unfit } from "./unfit.ts";

/** Returns why a pool does not serve the caller, or nothing if it does. A pool without principals serves every caller. */
export function excludesCaller(
  { principals }: Pick<Pool, "principals">,
  { principal }: Pick<Requester, "principal">,
): Unfit | undefined {
  if (!principals || (principal !== undefined && principals.includes(principal))) return undefined;
  const told = principals.slice(0, NAMES_SHOWN_MAX).join(", ");
  const more = principals.length - NAMES_SHOWN_MAX;
  const whom = principal === undefined ? "a request without a principal" : principal;
  return {
    code: "principal",
    reason: `does not serve ${whom} (principals ${told}${more > 0 ? ` and ${more} more` : ""})`,
  };
}

/** Returns the rejection of a caller that names a pool, or an address or a prefix of it, and is none of its principals. */
export const poolForbidden = (
  { space, name, principals }: Pool,
  { reason }: Unfit,
  members: Rejection["members"],
): Rejection =>
  new Rejection(
    "pool_forbidden",
    `Pool ${name} ${reason}. A caller with the role operator in space ${space} may change its principals.`,
    { ...members, limit: { pool: name, principals }, changedBy: { role: "operator", space } },
  );
