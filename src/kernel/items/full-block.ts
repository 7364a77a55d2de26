import { cidrText } from "../../table/attribute.ts";
import { codec, id, mark, number, optional, under } from "../../table/codec.ts";
import { readEach } from "../../table/format.ts";
import type { Item } from "../../table/item.ts";
import {
  AFFINITY_PREFIX,
  FULL_PREFIX,
  fullBlockKey,
  hostIn,
  hostPk,
  NODE_SK,
} from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import type { FullBlock, Places } from "../values/full-block.ts";
import type { HostId } from "../values/host.ts";
import { affinityFrom } from "./affinity.ts";

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

    async callBlockFull(hint: FullBlock): Promise<void> {
      const item = FULL_BLOCK.item(hint);
      await table.write({ step: "full-put", key: item, when: [], change: { kind: "put", item } });
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

const FULL_BLOCK = codec<FullBlock, "space" | "host" | "block">({
  key: ({ space, host, block }) => fullBlockKey(space, host, block),
  named: (key) => ({ ...hostIn(key), block: cidrText(key.sk.slice(FULL_PREFIX.length)) }),
  attributes: {
    affinity: id,
    untilMs: under("until", optional(number)),
    freeAtMs: under("free", optional(number)),
    leased: optional(mark),
  },
});
export const fullBlockFrom = FULL_BLOCK.from;
