import * as v from "valibot";
import type { BlocksPosition } from "../../allocator/read/list-blocks.ts";
import type {
  SpaceAffinitiesWanted,
  SpaceAffinity,
} from "../../allocator/read/list-space-affinities.ts";
import { spaceAffinitiesQuery } from "../../contract/requests/affinity.ts";
import { resourceName } from "../../contract/schema/field.ts";
import { formatAddress } from "../../domain/address.ts";
import type { ListedPage } from "../../domain/listed.ts";
import { addressInCursor, openCursor, sealCursor } from "../http/cursor.ts";
import { type AnswerOf, type BodyOf, type Event, type Teller, timed } from "../http/event.ts";
import { readQuery } from "../http/parameters.ts";
import { unreadableBody } from "../http/unreadable.ts";

const position = v.object({ pool: v.optional(resourceName), after: addressInCursor });

export function readSpaceAffinities(event: Event): SpaceAffinitiesWanted {
  const query = readQuery(event, spaceAffinitiesQuery);
  const { space, pool, limit, cursor } = query;
  return { space, pool, limit, ...openCursor(cursor, listOf({ space, pool }), position) };
}

const told: Teller<BodyOf<"GET /v1/affinities">["affinities"][number]> = timed;

export function spaceAffinitiesAnswer(
  { items, unreadable, next }: ListedPage<SpaceAffinity, BlocksPosition>,
  requestId: string,
  wanted: SpaceAffinitiesWanted,
): AnswerOf<"GET /v1/affinities"> {
  const position = next && { ...next, after: formatAddress(next.after) };
  return {
    status: 200,
    body: {
      requestId,
      affinities: items.map((affinity) => told(affinity)),
      ...unreadableBody(unreadable),
      ...(position && { next: sealCursor(listOf(wanted), position) }),
    },
  };
}

/** Identifies the list of a cursor. */
const listOf = ({ space, pool }: Pick<SpaceAffinitiesWanted, "space" | "pool">) => [
  "affinities of a space",
  space,
  pool ?? null,
];
