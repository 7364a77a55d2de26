import type { Family } from "../domain/address.ts";
import { AFFINITY_STATES, assertAffinity, type BlockAffinity } from "../domain/affinity.ts";
import { formatCidr } from "../domain/cidr.ts";
import type { HostId } from "../domain/host.ts";
import { idOf, numberOf, oneOf, textOf } from "./attribute.ts";
import { reading } from "./format.ts";
import { hostReservedFrom, hostReservedItem } from "./host-reserved.ts";
import type { Item } from "./item.ts";
import { AFFINITY_PREFIX, affinityKey, hostPk, unescaped } from "./key.ts";
import { readEach } from "./readable-items.ts";
import { revised } from "./revised-writes.ts";
import type { Table } from "./table.ts";
import { cidrText } from "./text.ts";

/**
 * The calls for affinities: the numbered places of a host. Each method is one call to the database.
 */
export function affinityItems(table: Table) {
  const affinities = revised(table, itemFrom, affinityFrom);
  return {
    /** Returns every affinity of a host, of both families. @throws {CorruptItemError} */
    async listAffinities(
      space: string,
      host: HostId,
      options?: { readonly consistent: boolean },
    ): Promise<readonly BlockAffinity[]> {
      const pk = hostPk(space, host);
      const items = await table.query(pk, { ...options, prefix: AFFINITY_PREFIX });
      return items.map(affinityFrom);
    },

    /**
     * Returns every affinity of a host, strongly consistent. The answer names unreadable affinities
     * beside the others, for callers that can go on without them.
     */
    async listReadableAffinities(space: string, host: HostId) {
      const items = await table.query(hostPk(space, host), { prefix: AFFINITY_PREFIX });
      return readEach(items, affinityFrom);
    },

    /** Creates an affinity in a place that is free. */
    createAffinity: (affinity: BlockAffinity) =>
      affinities.create("create-affinity", "place-absent", affinity),

    /**
     * Changes an affinity if its revision is the one seen. `step` names the step of the protocol.
     */
    changeAffinity: affinities.change,
    deleteAffinity: affinities.remove,
  };
}

function itemFrom(affinity: BlockAffinity): Item {
  assertAffinity(affinity);
  return {
    ...affinityKey(affinity.space, affinity.host, affinity.family, affinity.place),
    block: formatCidr(affinity.block),
    pool: affinity.pool,
    state: affinity.state,
    ...hostReservedItem(affinity),
    revision: affinity.revision,
    at: affinity.atMs,
  };
}

export const affinityFrom = reading((item: Item): BlockAffinity => {
  const [, space, host] = item.pk.split("#").map(unescaped);
  const [, family, place] = item.sk.split("#");
  return {
    space: space as string,
    host: host as HostId,
    family: Number(family) as Family,
    place: Number(place),
    block: cidrText(item.block),
    pool: textOf(item, "pool"),
    state: oneOf(item, "state", AFFINITY_STATES),
    ...hostReservedFrom(item),
    revision: idOf(item, "revision"),
    atMs: numberOf(item, "at"),
  };
}, assertAffinity);
