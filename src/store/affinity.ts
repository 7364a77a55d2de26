import type { Family } from "../domain/address.ts";
import { AFFINITY_STATES, type AffinityRow } from "../domain/affinity.ts";
import { formatCidr } from "../domain/cidr.ts";
import type { HostId } from "../domain/host.ts";
import { idOf, numberOf, oneOf, textOf } from "./attribute.ts";
import { reading } from "./format.ts";
import { hostReservedFrom, hostReservedItem } from "./host-reserved.ts";
import type { Item } from "./item.ts";
import { AFFINITY_PREFIX, affinityKey, hostPk, unescaped } from "./key.ts";
import { sorted } from "./readable-items.ts";
import { revised } from "./revised-writes.ts";
import type { Table } from "./table.ts";
import { cidrText } from "./text.ts";

/** Affinity rows: a host's numbered places. Each method is one call. */
export function affinityItems(table: Table) {
  const rows = revised(table, itemFrom, rowFrom);
  return {
    /** Every place of a host, both families. */
    async listRows(
      space: string,
      host: HostId,
      options?: { readonly consistent: boolean },
    ): Promise<readonly AffinityRow[]> {
      const pk = hostPk(space, host);
      const items = await table.query(pk, { ...options, prefix: AFFINITY_PREFIX });
      return items.map(rowFrom);
    },

    /** The same, strongly consistent, for who has other things to do: those that cannot be read are beside the others. */
    async listReadableRows(space: string, host: HostId) {
      const items = await table.query(hostPk(space, host), { prefix: AFFINITY_PREFIX });
      const { read, unreadable } = sorted(items, rowFrom);
      return { rows: read, unreadable };
    },

    /** Takes a place that nobody has. */
    createRow: (row: AffinityRow) => rows.create("create-row", "place-absent", row),

    /** Changes a row exactly as it was seen; `step` names the act. */
    changeRow: rows.change,
    deleteRow: rows.remove,
  };
}

function itemFrom(row: AffinityRow): Item {
  return {
    ...affinityKey(row.space, row.host, row.family, row.place),
    block: formatCidr(row.block),
    pool: row.pool,
    state: row.state,
    ...hostReservedItem(row),
    revision: row.revision,
    at: row.atMs,
  };
}

export const rowFrom = reading((item: Item): AffinityRow => {
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
});
