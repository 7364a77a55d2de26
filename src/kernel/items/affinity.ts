import type { Family } from "../../net/address.ts";
import {
  cidr,
  codec,
  hostReserved,
  id,
  number,
  optional,
  revised,
  text,
  textAmong,
  under,
} from "../../table/codec.ts";
import { readEach } from "../../table/format.ts";
import { AFFINITY_PREFIX, affinityKey, hostIn, hostPk } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import { AFFINITY_STATES, assertAffinity, type BlockAffinity } from "../values/affinity.ts";
import type { HostId } from "../values/host.ts";

/**
 * The calls for affinities: the numbered places of a host. Each method is one call to the database.
 */
export function affinityItems(table: Table) {
  const affinities = revised(table, AFFINITY);
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

const AFFINITY = codec<BlockAffinity, "space" | "host" | "family" | "place">({
  key: ({ space, host, family, place }) => affinityKey(space, host, family, place),
  named: (key) => {
    const [, family, place] = key.sk.split("#").map(Number);
    return { ...hostIn(key), family: family as Family, place: place as number };
  },
  attributes: {
    block: cidr,
    pool: text,
    state: textAmong(AFFINITY_STATES),
    hostReserved: optional(hostReserved),
    revision: id,
    atMs: under("at", number),
  },
  assert: assertAffinity,
});
export const affinityFrom = AFFINITY.from;
