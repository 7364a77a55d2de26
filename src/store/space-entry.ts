import { assertTexts } from "../domain/assertions.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { SpaceEntry, SpacePosition } from "../domain/space.ts";
import { idOf, mapOf, textOf } from "./attribute.ts";
import { groupOf, groupText } from "./block-group-index.ts";
import { absent, equals, present } from "./clause.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { SPACES_PK, spaceKey, unescaped } from "./key.ts";
import { withItem } from "./outcome.ts";
import { sortedByName } from "./readable-items.ts";
import type { Table } from "./table.ts";

/** The register of spaces that scheduled runs go through: an entry for each space that may have pools. Each method is one call. */
export function spaceEntryItems(table: Table) {
  return {
    /** Enters a space, or gives the entry that stands a new revision: whoever saw it before deletes it no more. */
    async registerSpace(space: string, revision: string): Promise<Outcome<unknown>> {
      assertTexts({ revision });
      const change = { kind: "update", set: [[["revision"], revision]] } as const;
      const key = spaceKey(space);
      return withItem(
        await table.write({ step: "register-space", key, when: [], change }),
        spaceEntryFrom,
      );
    },

    /** Eventually consistent: one that was entered just now is seen by the next scheduled run. Those that cannot be read are named. */
    async listSpaces() {
      const items = await table.query(SPACES_PK, { consistent: false });
      const { read, unreadable } = sortedByName(items, spaceEntryFrom);
      return { spaces: read, unreadable };
    },

    /** Keeps where the reclaimer stopped in a space, or that it begins anew; in no entry that is gone. */
    async keepPosition(space: string, position: SpacePosition | undefined): Promise<void> {
      await table.write({
        step: "keep-position",
        key: spaceKey(space),
        when: [present("position-entry", "pk")],
        change: {
          kind: "update",
          ...(position
            ? { set: [[["position"], positionItem(position)]] }
            : { remove: [["position"]] }),
        },
      });
    },

    /** Takes a space out of the register if it was not entered anew since it was seen (rule 5). */
    async dropSpace({ space, revision }: SpaceEntry): Promise<Outcome<unknown>> {
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

export const spaceEntryFrom = reading((item: Item): SpaceEntry => {
  return {
    space: unescaped(item.sk),
    revision: item.revision === undefined ? undefined : idOf(item, "revision"),
    position: item.position === undefined ? undefined : positionFrom(mapOf(item, "position")),
  };
});

const positionItem = ({ pool, page, group }: SpacePosition) => ({
  pool,
  ...(page !== undefined && { page }),
  ...(group !== undefined && { group: groupText(group) }),
});

const positionFrom = (stored: ReturnType<typeof mapOf>): SpacePosition => ({
  pool: textOf(stored, "pool"),
  ...(stored.page !== undefined && { page: textOf(stored, "page") }),
  ...(stored.group !== undefined && { group: groupOf(textOf(stored, "group")) }),
});
