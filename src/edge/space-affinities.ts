import * as v from "valibot";
import type { BlocksPosition } from "../allocator/list-blocks.ts";
import type { SpaceAffinitiesWanted, SpaceAffinity } from "../allocator/list-space-affinities.ts";
import type { Page } from "../allocator/page.ts";
import { formatAddress } from "../domain/address.ts";
import { AFFINITIES_PER_PAGE_DEFAULT, AFFINITIES_PER_PAGE_MAX } from "../domain/limits.ts";
import { formatTime } from "../domain/time.ts";
import { addressInCursor, openCursor, sealCursor } from "./cursor.ts";
import { resourceName } from "./field.ts";
import type { Answer, Event } from "./http.ts";
import { pageEntries, readQuery } from "./parameters.ts";
import { Problem } from "./problem.ts";
import { unreadableBody } from "./unreadable-body.ts";

/** The affinities of all hosts, as they are asked for and told. */

export const spaceAffinitiesQuery = {
  pool: v.optional(resourceName),
  ...pageEntries(AFFINITIES_PER_PAGE_DEFAULT, AFFINITIES_PER_PAGE_MAX),
};

const position = v.object({ pool: v.optional(resourceName), after: addressInCursor });

export function readSpaceAffinities(event: Event): SpaceAffinitiesWanted | Problem {
  const query = readQuery(event, spaceAffinitiesQuery);
  if (query instanceof Problem) return query;
  const { space, pool, limit, cursor } = query;
  const opened = openCursor(cursor, listOf({ space, pool }), position);
  return opened instanceof Problem ? opened : { space, pool, limit, ...opened };
}

export function spaceAffinitiesAnswer(
  { items, unreadable, next }: Page<SpaceAffinity, BlocksPosition>,
  requestId: string,
  wanted: SpaceAffinitiesWanted,
): Answer {
  const position = next && { ...next, after: formatAddress(next.after) };
  return {
    status: 200,
    body: {
      requestId,
      affinities: items.map(({ claimedAtMs, ...affinity }) => ({
        ...affinity,
        claimedAt: formatTime(claimedAtMs),
      })),
      ...unreadableBody(unreadable),
      ...(position && { next: sealCursor(listOf(wanted), position) }),
    },
  };
}

/** What a cursor of the list is bound to. */
const listOf = ({ space, pool }: Pick<SpaceAffinitiesWanted, "space" | "pool">) => [
  "affinities of a space",
  space,
  pool ?? null,
];
