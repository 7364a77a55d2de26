import { parseBody, shortDigest } from "../../../api/http/body.ts";
import { openCursor, sealCursor } from "../../../api/http/cursor.ts";
import {
  type AnswerOf,
  assignedBy,
  type BodyOf,
  type Event,
  type Teller,
  timed,
  withTenant,
} from "../../../api/http/event.ts";
import {
  parseIdempotencyKey,
  parseQuery,
  parseSpace,
  rejectIdempotencyKey,
} from "../../../api/http/parameters.ts";
import { unreadableBody } from "../../../api/http/unreadable.ts";
import type { DryRun } from "../../../api/http/write.ts";
import { DRY_RUN } from "../../../api/query.ts";
import { invalid } from "../../../api/schema/problem.ts";
import type { Page } from "../../../base/listed.ts";
import type { Assignment, AssignRequest } from "../../../kernel/assign/assignment.ts";
import type { Explanation } from "../../../kernel/assign/explain.ts";
import { prefixHandle } from "../../../kernel/values/handle.ts";
import { hostId } from "../../../kernel/values/host.ts";
import { formatCidr } from "../../../net/cidr.ts";
import type { HandlePosition } from "../../address/operations/read-handle.ts";
import { explanationAnswer } from "../../address/serve/explanation.ts";
import { handlePosition, positionBody } from "../../address/serve/handle.ts";
import {
  prefixAttributesOf,
  prefixBody,
  prefixListQuery,
  prefixReleaseBody,
} from "../contract/request.ts";
import type { HandledPrefix, PrefixesNamed } from "../operations/read-prefixes.ts";
import type { HandleRelease, PrefixesReleased } from "../operations/release-by-handle.ts";

/** A request for a prefix, and the caller's name for its handle. */
export type PrefixAssign = AssignRequest & DryRun & { readonly named: string };

/** Parses a request for a prefix. Its owner is no machine, so a virtual owner with the name of the handle has it. */
export function parsePrefixAssign(event: Event): PrefixAssign {
  const input = parseBody(event, prefixBody);
  const query = parseQuery(event, DRY_RUN);
  const key = parseIdempotencyKey(event);
  const attributes = withTenant(event, prefixAttributesOf(input));
  const { space } = query;
  const { handle: named, cidr, prefixLength, pools, limitPerHandle, dryRun, ...more } = input;
  const { family: wanted, attributes: _, description: __, tags: ___, ...unnamed } = more;
  // A field of a request that its digest below does not name is a type error here.
  unnamed satisfies Readonly<Record<string, never>>;
  const handle = prefixHandle(named);
  // The body has one of both.
  const family = cidr?.family ?? wanted ?? 4;
  const canonical = [
    ...[space, handle, family, prefixLength ?? 0, cidr ? formatCidr(cidr) : "", pools],
    ...[Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)), limitPerHandle],
  ];
  return {
    space,
    host: hostId("virtual", named),
    handle,
    named,
    wanted: [{ family, count: 1 }],
    prefixes: {
      stated: [],
      ...(cidr && { specific: cidr }),
      ...(prefixLength !== undefined && { length: prefixLength }),
    },
    pools,
    attributes,
    ...(limitPerHandle > 0 && { limitPerHandle }),
    ...assignedBy(event),
    digest: shortDigest(JSON.stringify(canonical)),
    ...(key !== undefined && { keyId: shortDigest(`${handle}\0${key}`) }),
    dryRun: dryRun || query.dryRun,
  };
}

export function prefixAssignAnswer(
  result: Assignment | Explanation,
  requestId: string,
  { named }: PrefixAssign,
): AnswerOf<"POST /v1/prefixes"> {
  if ("families" in result) return explanationAnswer(result, requestId);
  const prefixes = result.addresses.map(({ block, family, pool }) => ({
    cidr: block,
    family,
    pool,
  }));
  return { status: 200, body: { requestId, handle: named, prefixes } };
}

/** Parses which prefixes to list. */
export function parsePrefixList(event: Event): PrefixesNamed {
  const query = parseQuery(event, prefixListQuery);
  const { cursor, ...named } = query;
  if (named.handle === undefined && !named.cidr)
    throw invalid({ field: "?handle", problem: "is required, or ?cidr in its place" });
  return { ...named, ...openCursor(cursor, listOf(named), handlePosition) };
}

const told: Teller<BodyOf<"GET /v1/prefixes">["prefixes"][number]> = timed;

export function prefixListAnswer(
  { items, next }: Page<HandledPrefix, HandlePosition>,
  requestId: string,
  wanted: PrefixesNamed,
): AnswerOf<"GET /v1/prefixes"> {
  const prefixes = items.map((prefix) => told({ ...prefix, ...labellingOf(prefix.attributes) }));
  const cursor = next && { next: sealCursor(listOf(wanted), positionBody(next)) };
  return { status: 200, body: { requestId, prefixes, ...cursor } };
}

/** Returns the description and the tags that attributes have. */
const labellingOf = ({ description, tags }: HandledPrefix["attributes"] = {}) => ({
  ...(description && { description }),
  ...(tags && { tags: tags.split(",") }),
});

/** Identifies the list of a cursor. */
const listOf = ({ space, handle, cidr }: Pick<PrefixesNamed, "space" | "handle" | "cidr">) => [
  "prefixes",
  space,
  handle ?? "",
  cidr ? formatCidr(cidr) : "",
];

/** Parses which prefixes of a handle to release. */
export function parsePrefixRelease(event: Event): HandleRelease {
  rejectIdempotencyKey(event, "a repeat frees what the handle has by then");
  const input = parseBody(event, prefixReleaseBody);
  const space = parseSpace(event);
  return { ...input, space };
}

export function prefixesReleasedAnswer(
  { released, unreadable, ...done }: PrefixesReleased,
  requestId: string,
  { handle }: HandleRelease,
): AnswerOf<"POST /v1/prefixes/release"> {
  const body = { requestId, handle, ...done, released: released.map(formatCidr) };
  return { status: 200, body: { ...body, ...unreadableBody(unreadable) } };
}
