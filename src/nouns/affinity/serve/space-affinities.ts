import * as v from "valibot";
import { addressInCursor, openCursor, sealCursor } from "../../../api/http/cursor.ts";
import {
  type AnswerOf,
  type BodyOf,
  type Event,
  type Teller,
  timed,
} from "../../../api/http/event.ts";
import { parseQuery } from "../../../api/http/parameters.ts";
import { unreadableBody } from "../../../api/http/unreadable.ts";
import type { ListedPage } from "../../../base/listed.ts";
import { formatAddress } from "../../../net/address.ts";
import type { BlocksPosition } from "../../block/operations/list-blocks.ts";
import { spaceAffinitiesQuery } from "../contract/request.ts";
import type { SpaceAffinitiesWanted, SpaceAffinity } from "../operations/list-space-affinities.ts";

const position = v.strictObject({ place: v.optional(v.string()), after: addressInCursor });

export function parseSpaceAffinities(event: Event): SpaceAffinitiesWanted {
  const query = parseQuery(event, spaceAffinitiesQuery);
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
