import type { FullBlock, Places } from "../domain/full-block.ts";
import type { HostId } from "../domain/host.ts";
import { affinityFrom } from "./affinity.ts";
import { idOf, numberOf } from "./attribute.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { AFFINITY_PREFIX, FULL_PREFIX, fullBlockKey, hostPk, NODE_SK, unescaped } from "./key.ts";
import { readEach } from "./readable-items.ts";
import type { Table } from "./table.ts";
import { cidrText } from "./text.ts";

/**
 * The calls for hints that a block of a host is full, in the host's partition. Each method is one
 * call to the database.
 */
export function fullBlockItems(table: Table) {
  return {
    /**
     * Returns every place of a host, of both families, and its hints of full blocks: the items that
     * sort before its node.
     */
    async listPlaces(space: string, host: HostId): Promise<Places> {
      return placesFrom(await table.query(hostPk(space, host), { before: NODE_SK }));
    },

    async callBlockFull({ space, host, block, ...hint }: FullBlock): Promise<void> {
      const { affinity, untilMs, freeAtMs, leased } = hint;
      const key = fullBlockKey(space, host, block);
      const item = {
        ...key,
        affinity,
        ...(untilMs !== undefined && { until: untilMs }),
        ...(freeAtMs !== undefined && { free: freeAtMs }),
        ...(leased && { leased }),
      };
      await table.write({ step: "full-put", key, when: [], change: { kind: "put", item } });
    },

    /** Deletes a hint, if there is one. `step` names the step of the protocol. */
    async clearBlockFull(
      step: string,
      { space, host, block }: Pick<FullBlock, "space" | "host" | "block">,
    ): Promise<void> {
      const key = fullBlockKey(space, host, block);
      await table.write({ step, key, when: [], change: { kind: "delete" } });
    },
  };
}

/** Returns the places and the hints among the items of a host. It leaves out unreadable hints. */
export function placesFrom(items: readonly Item[]): Places {
  const under = (prefix: string) => items.filter(({ sk }) => sk.startsWith(prefix));
  return {
    affinities: under(AFFINITY_PREFIX).map(affinityFrom),
    full: readEach(under(FULL_PREFIX), fullBlockFrom).items,
  };
}

export const fullBlockFrom = reading((item: Item): FullBlock => {
  const [, space, host] = item.pk.split("#").map(unescaped);
  return {
    space: space as string,
    host: host as HostId,
    block: cidrText(item.sk.slice(FULL_PREFIX.length)),
    affinity: idOf(item, "affinity"),
    ...(item.until !== undefined && { untilMs: numberOf(item, "until") }),
    ...(item.free !== undefined && { freeAtMs: numberOf(item, "free") }),
    ...(item.leased === true && { leased: true }),
  };
});
