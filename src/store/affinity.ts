import type { Family } from "../domain/address.ts";
import type { AffinityRow } from "../domain/affinity.ts";
import { formatCidr } from "../domain/cidr.ts";
import type { HostId } from "../domain/host.ts";
import type { Outcome } from "../domain/outcome.ts";
import { absent, equals } from "./clause.ts";
import { AFFINITY_PREFIX, affinityKey, hostPk, unescaped } from "./key.ts";
import { withItem } from "./outcome.ts";
import type { Item, Table } from "./table.ts";
import { cidrText } from "./text.ts";

/** Affinity rows: a host's numbered places. Each method is one call. */
export function affinityItems(table: Table) {
  return {
    /** Every place of a host, both families. */
    async listRows(space: string, host: HostId): Promise<readonly AffinityRow[]> {
      const items = await table.query(hostPk(space, host), { prefix: AFFINITY_PREFIX });
      return items.map(rowFrom);
    },

    /** Takes a place that nobody has. */
    async createRow(row: AffinityRow): Promise<Outcome<AffinityRow>> {
      const item = itemFrom(row);
      const write = {
        step: "create-row",
        key: item,
        when: [absent("place-absent", "pk")],
        change: { kind: "put", item },
      } as const;
      return withItem(await table.write(write), rowFrom);
    },

    /** Changes a row exactly as it was seen; `step` names the act. */
    async changeRow(
      step: string,
      seen: AffinityRow,
      next: AffinityRow,
    ): Promise<Outcome<AffinityRow>> {
      const item = itemFrom(next);
      const outcome = await table.write({
        step,
        key: item,
        when: [equals(`${step}-rev`, seen.revision, "revision")],
        change: { kind: "put", item },
      });
      return withItem(outcome, rowFrom);
    },

    async deleteRow(step: string, seen: AffinityRow): Promise<void> {
      await table.write({
        step,
        key: affinityKey(seen.space, seen.host, seen.family, seen.place),
        when: [equals(`${step}-rev`, seen.revision, "revision")],
        change: { kind: "delete" },
      });
    },
  };
}

function itemFrom(row: AffinityRow): Item {
  return {
    ...affinityKey(row.space, row.host, row.family, row.place),
    block: formatCidr(row.block),
    pool: row.pool,
    state: row.state,
    revision: row.revision,
    at: row.atMs,
  };
}

export function rowFrom(item: Item): AffinityRow {
  const [, space, host] = item.pk.split("#").map(unescaped);
  const [, family, place] = item.sk.split("#");
  return {
    space: space as string,
    host: host as HostId,
    family: Number(family) as Family,
    place: Number(place),
    block: cidrText(item.block),
    pool: item.pool as string,
    state: item.state as AffinityRow["state"],
    revision: item.revision as string,
    atMs: item.at as number,
  };
}
