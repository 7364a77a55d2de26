import { assertTexts } from "../../base/assertions.ts";
import type { PageWanted } from "../../base/listed.ts";
import type { Outcome } from "../../base/outcome.ts";
import { groupOfText, groupText } from "../../kernel/items/block-group-index.ts";
import { absent, equals, present } from "../../table/clause.ts";
import {
  codec,
  type Form,
  id,
  list,
  number,
  optional,
  record,
  text,
  texts,
  under,
  via,
  withItem,
} from "../../table/codec.ts";
import { pageOf, readEach, readEachByName } from "../../table/format.ts";
import { SPACES_PK, spaceKey, unescaped } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import { usageFrom, usageText } from "../utilization/usage-text.ts";
import type { PoolCount, SpaceEntry, SpacePosition, SubnetCount } from "./space.ts";

/**
 * The calls for the register of spaces, which scheduled runs go through: an entry for each space
 * that may have pools. Each method is one call to the database.
 */
export function spaceEntryItems(table: Table) {
  return {
    /**
     * Enters a space, or gives its entry a new revision. A caller that read the entry before can no
     * longer delete it.
     */
    async registerSpace(space: string, revision: string): Promise<Outcome<unknown>> {
      assertTexts({ revision });
      const change = ENTRY.update({ revision });
      const key = spaceKey(space);
      return withItem(
        await table.write({ step: "register-space", key, when: [], change }),
        spaceEntryFrom,
      );
    },

    /**
     * Returns the entries, eventually consistent: the next scheduled run sees an entry that is new.
     * The answer names unreadable entries beside the others.
     */
    async listSpaces() {
      const items = await table.query(SPACES_PK, { consistent: false });
      return readEachByName(items, spaceEntryFrom);
    },

    /** Returns the first `limit` entries, or those after a name. The answer names unreadable ones beside the others. */
    async listSpacePage(wanted: PageWanted<string>) {
      const { items, next } = await pageOf(table, SPACES_PK, wanted);
      return { ...readEach(items, spaceEntryFrom), next };
    },

    /** Returns the entry of a space, if it has one. @throws {CorruptItemError} */
    async readSpaceEntry(space: string): Promise<SpaceEntry | undefined> {
      const item = await table.get(spaceKey(space));
      return item && spaceEntryFrom(item);
    },

    /**
     * Gives the entry of a space the revision of the job that deletes the space, if it has the one
     * seen. The mark counts as long as the entry has this revision.
     */
    async markSpace(space: string, seen: string, stamp: string): Promise<Outcome<unknown>> {
      assertTexts({ seen, stamp });
      return withItem(
        await table.write({
          step: "mark-space",
          key: spaceKey(space),
          when: [equals("mark-space-rev", seen, "revision")],
          change: ENTRY.update({ revision: stamp, deleting: stamp }),
        }),
        spaceEntryFrom,
      );
    },

    /**
     * Stores the position where the reclaimer stopped in a space, or its return to the start. It
     * creates no entry.
     */
    async keepPosition(space: string, position: SpacePosition | undefined): Promise<void> {
      await table.write({
        step: "keep-position",
        key: spaceKey(space),
        when: [present("position-entry", "pk")],
        change: ENTRY.update({ position }),
      });
    },

    /**
     * Deletes the entry of a space, unless the space was entered again since the entry was read
     * (rule 5).
     */
    async deleteSpaceEntry({
      space,
      revision,
    }: Pick<SpaceEntry, "space" | "revision">): Promise<Outcome<unknown>> {
      return table.write({
        step: "drop-space",
        key: spaceKey(space),
        when: [
          revision === undefined
            ? absent("drop-space-rev", "revision")
            : equals("drop-space-rev", revision, "revision"),
        ],
        change: { kind: "delete" },
      });
    },
  };
}

/** The count of a pool, as a list of texts: in a position, a name would cost as much as a count. */
const poolCount: Form<PoolCount> = via(
  texts,
  ({ poolId, usage, reserved }) => [poolId, String(reserved), usageText(usage)],
  ([poolId = "", reserved = "", usage = ""]) => ({
    poolId,
    usage: usageFrom(usage),
    reserved: BigInt(reserved),
  }),
);

const POSITION = record<SpacePosition>({
  pool: text,
  page: optional(text),
  group: optional(via(text, groupText, groupOfText)),
  count: optional(
    record<SubnetCount>({
      subnetId: under("subnet", text),
      fromMs: under("from", number),
      pools: list(poolCount),
    }),
  ),
});

const ENTRY = codec<SpaceEntry, "space", "isBeingDeleted">({
  key: ({ space }) => spaceKey(space),
  named: ({ sk }) => ({ space: unescaped(sk) }),
  attributes: { revision: optional(id), deleting: optional(id), position: optional(POSITION) },
  derive: ({ revision, deleting }) => ({
    isBeingDeleted: revision !== undefined && deleting === revision,
  }),
});
export const spaceEntryFrom = ENTRY.from;
