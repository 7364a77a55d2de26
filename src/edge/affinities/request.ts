import * as v from "valibot";
import type { PoolsAsked } from "../../allocator/assign/assignment.ts";
import {
  affinitiesBody,
  affinityClaimQuery,
  affinityListQuery,
  affinityReleaseQuery,
} from "../../contract/requests/affinity.ts";
import { invalid, Problem } from "../../contract/schema/problem.ts";
import { checked } from "../../contract/schema/schema.ts";
import type { Address, Family } from "../../domain/address.ts";
import { type Cidr, formatCidr } from "../../domain/cidr.ts";
import { type HostId, hostId } from "../../domain/host.ts";
import type { HostReservedAsked } from "../../domain/host-reserved.ts";
import type { Labels } from "../../domain/labels.ts";
import { readJson } from "../http/body.ts";
import { addressInCursor, openCursor } from "../http/cursor.ts";
import type { Event } from "../http/event.ts";
import { readHostWith } from "../http/parameters.ts";
import { poolsAsked } from "../pools/pools-asked.ts";

/** A range that a host is to have, or families of which it is to have a block. */
export type AffinitiesWanted = { readonly space: string; readonly host: HostId } & (
  | { readonly cidr: Cidr; readonly position?: Address | undefined }
  | ({
      readonly families: readonly Family[];
      /** The addresses that the host reserves in a block that it claims. */
      readonly hostReserved?: HostReservedAsked;
      /** By which pools judge it in place of those that are registered. */
      readonly hostLabels?: Labels;
    } & PoolsAsked)
);

const position = v.object({ after: addressInCursor });

export function readAffinityList(event: Event) {
  const query = readHostWith(event, affinityListQuery);
  if (query instanceof Problem) return query;
  const { space, limit, cursor } = query;
  const wanted = { space, host: hostId(query.affinityType, query.node), limit };
  const opened = openCursor(cursor, affinityListOf(wanted), position);
  return opened instanceof Problem ? opened : { ...wanted, ...opened };
}

export function readAffinityClaim(event: Event): AffinitiesWanted | Problem {
  const json = readJson(event);
  if (json instanceof Problem) return json;
  const input = checked(affinitiesBody, json.value);
  if (input instanceof Problem) return input;
  const path = readHostWith(event, affinityClaimQuery);
  if (path instanceof Problem) return path;
  const { cidr, families = [], hostReserved, hostLabels } = input;
  const whose = { space: path.space, host: hostId(input.affinityType, path.node) };
  if (cidr) {
    const opened = openCursor(path.cursor, affinityClaimOf({ ...whose, cidr }), position);
    return opened instanceof Problem
      ? opened
      : { ...whose, cidr, position: opened.position?.after };
  }
  if (path.cursor !== undefined)
    return invalid({ field: "?cursor", problem: "continues a range, and the body has none" });
  return {
    ...whose,
    families,
    ...poolsAsked(input),
    ...(hostReserved && { hostReserved }),
    ...(hostLabels && { hostLabels }),
  };
}

export function readAffinityRelease(event: Event) {
  const query = readHostWith(event, affinityReleaseQuery);
  if (query instanceof Problem) return query;
  const { space, cidr, mustBeEmpty, cursor } = query;
  const releasing = { space, host: hostId(query.affinityType, query.node), mustBeEmpty, cidr };
  const opened = openCursor(cursor, affinityReleaseOf(releasing), position);
  return opened instanceof Problem ? opened : { ...releasing, position: opened.position?.after };
}

/** Names the list that a cursor belongs to. */
export const affinityListOf = ({
  space,
  host,
}: {
  readonly space: string;
  readonly host: HostId;
}) => ["affinities", space, host];

/** Names the claim that a cursor belongs to. */
export const affinityClaimOf = ({
  space,
  host,
  cidr,
}: {
  readonly space: string;
  readonly host: HostId;
  readonly cidr: Cidr;
}) => ["affinities to claim", space, host, formatCidr(cidr)];

/** Names the release that a cursor belongs to. */
export const affinityReleaseOf = ({
  space,
  host,
  mustBeEmpty,
  cidr,
}: {
  readonly space: string;
  readonly host: HostId;
  readonly mustBeEmpty: boolean;
  readonly cidr?: Cidr | undefined;
}) => ["affinities to release", space, host, mustBeEmpty, ...(cidr ? [formatCidr(cidr)] : [])];
