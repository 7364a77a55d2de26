import * as v from "valibot";
import { parseBody } from "../../../api/http/body.ts";
import { addressInCursor, openCursor } from "../../../api/http/cursor.ts";
import { assignedBy, type Event } from "../../../api/http/event.ts";
import { parseHostWith } from "../../../api/http/parameters.ts";
import { poolsAsked } from "../../../api/schema/pool-names.ts";
import { invalid } from "../../../api/schema/problem.ts";
import { type HostId, type HostReservedAsked, hostId } from "../../../kernel/values/host.ts";
import type { Address, Family } from "../../../net/address.ts";
import { type Cidr, formatCidr } from "../../../net/cidr.ts";
import type { Labels } from "../../../net/labels.ts";
import type { PoolsAsked } from "../../../selection/acquire-pools.ts";
import {
  affinitiesBody,
  affinityClaimQuery,
  affinityListQuery,
  affinityReleaseQuery,
} from "../contract/request.ts";

/** A claim: a range for a host, or the families of which the host needs a block. */
export type AffinitiesWanted = {
  readonly space: string;
  readonly host: HostId;
  readonly assignedBy?: string;
} & (
  | { readonly cidr: Cidr; readonly position?: Address | undefined }
  | ({
      readonly families: readonly Family[];
      /** The addresses that the host reserves in a block that it claims. */
      readonly hostReserved?: HostReservedAsked;
      /** The labels by which pools select it, in place of the registered ones. */
      readonly hostLabels?: Labels;
    } & PoolsAsked)
);

const position = v.object({ after: addressInCursor });

export function parseAffinityList(event: Event) {
  const query = parseHostWith(event, affinityListQuery);
  const { space, limit, cursor } = query;
  const wanted = { space, host: hostId(query.affinityType, query.node), limit };
  return { ...wanted, ...openCursor(cursor, affinityListOf(wanted), position) };
}

export function parseAffinityClaim(event: Event): AffinitiesWanted {
  const input = parseBody(event, affinitiesBody);
  const path = parseHostWith(event, affinityClaimQuery);
  const { cidr, families = [], hostReserved, hostLabels } = input;
  const whose = {
    space: path.space,
    host: hostId(input.affinityType, path.node),
    ...assignedBy(event),
  };
  if (cidr) {
    const opened = openCursor(path.cursor, affinityClaimOf({ ...whose, cidr }), position);
    return { ...whose, cidr, position: opened.position?.after };
  }
  if (path.cursor !== undefined)
    throw invalid({ field: "?cursor", problem: "continues a range, and the body has none" });
  return {
    ...whose,
    families,
    ...poolsAsked(input),
    ...(hostReserved && { hostReserved }),
    ...(hostLabels && { hostLabels }),
  };
}

export function parseAffinityRelease(event: Event) {
  const query = parseHostWith(event, affinityReleaseQuery);
  const { space, cidr, mustBeEmpty, cursor } = query;
  const releasing = { space, host: hostId(query.affinityType, query.node), mustBeEmpty, cidr };
  const opened = openCursor(cursor, affinityReleaseOf(releasing), position);
  return { ...releasing, position: opened.position?.after };
}

/** Identifies the list of a cursor. */
export const affinityListOf = ({
  space,
  host,
}: {
  readonly space: string;
  readonly host: HostId;
}) => ["affinities", space, host];

/** Identifies the claim of a cursor. */
export const affinityClaimOf = ({
  space,
  host,
  cidr,
}: {
  readonly space: string;
  readonly host: HostId;
  readonly cidr: Cidr;
}) => ["affinities to claim", space, host, formatCidr(cidr)];

/** Identifies the release of a cursor. */
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
