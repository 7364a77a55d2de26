import { FAMILIES, type Family } from "../../domain/address.ts";
import { hostId } from "../../domain/host.ts";
import { Rejection } from "../../domain/outcome.ts";
import { noneUnread } from "../../domain/pool.ts";
import { type PoolRequest, poolsServing } from "../assign/family-requests.ts";
import { requesterOf } from "../assign/requester.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import type { CiliumRequest } from "./mode.ts";

/**
 * Returns the families in which pools give a node addresses, or prefixes.
 *
 * @throws {CorruptItemError} if a pool that cannot be read might serve another one
 */
export async function servedFamilies(
  context: Context,
  { space, node, assignedBy }: Pick<CiliumRequest, "space" | "node" | "assignedBy">,
  gives: "addresses" | "prefixes" | "nothing",
): Promise<readonly Family[]> {
  if (gives === "nothing") return [];
  const configuration = await configurationOf(context, space);
  const request: PoolRequest = {
    space,
    host: hostId("host", node),
    wanted: FAMILIES.map((family) => ({ family, count: 1 })),
    pools: [],
    ...(assignedBy !== undefined && { assignedBy }),
    ...(gives === "prefixes" && { prefixes: { stated: [] } }),
  };
  const requester = await requesterOf(context, request, configuration);
  const served = FAMILIES.filter(
    (family) => !(poolsServing(request, configuration, requester, family) instanceof Rejection),
  );
  if (served.length < FAMILIES.length) noneUnread(configuration);
  return served;
}
