import * as v from "valibot";
import { addressInCursor, openCursor, sealCursor } from "../../../api/http/cursor.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { parseNamedWith } from "../../../api/http/parameters.ts";
import { unreadableBody } from "../../../api/http/unreadable.ts";
import { formatTime } from "../../../base/time.ts";
import { type HostId, hostName } from "../../../kernel/values/host.ts";
import { formatAddress } from "../../../net/address.ts";
import { formatCidr, sizeOf } from "../../../net/cidr.ts";
import { poolMapQuery } from "../contract/map-request.ts";
import type {
  BlockOnMap,
  GroupOnMap,
  MapPosition,
  PoolMap,
  PoolMapWanted,
} from "../operations/pool-map.ts";
import { unitOf } from "../operations/utilization.ts";
import { eachCount, NO_USAGE, sumOf } from "../usage.ts";

/** The map that a request asks for. */
export interface MapAsked extends PoolMapWanted {
  readonly detail: "groups" | "blocks";
}

const position = v.object({ after: addressInCursor, last: v.optional(addressInCursor) });

export function parsePoolMap(event: Event): MapAsked {
  const wanted = parseNamedWith(event, poolMapQuery);
  const { cursor, ...asked } = wanted;
  return { ...asked, ...openCursor(cursor, mapOf(asked), position) };
}

export function poolMapAnswer(
  { pool, readAtMs, groups, unreadable, next, ranges }: PoolMap,
  requestId: string,
  asked: MapAsked,
): AnswerOf<"GET /v1/pools/{name}/map"> {
  const hosts = new Map<HostId, number>();
  for (const { host } of groups.flatMap(({ blocks }) => blocks))
    if (host !== undefined && !hosts.has(host)) hosts.set(host, hosts.size);
  const cursorOf = ({ after, last }: MapPosition) =>
    sealCursor(mapOf(asked), {
      after: formatAddress(after),
      ...(last && { last: formatAddress(last) }),
    });
  return {
    status: 200,
    body: {
      requestId,
      pool: pool.name,
      cidr: formatCidr(pool.cidr),
      ...(unitOf(pool) || {}),
      blockSize: pool.blockSize,
      readAt: formatTime(readAtMs),
      hosts: [...hosts.keys()].map(hostName),
      ...(asked.detail === "blocks"
        ? { blocks: groups.map((group) => blocksBody(group, hosts)) }
        : { groups: groups.map((group) => groupBody(group, hosts)) }),
      ...unreadableBody(unreadable),
      ...(next && { next: cursorOf(next) }),
      ...(ranges && { ranges: ranges.map(cursorOf) }),
    },
  };
}

type HostNumbers = ReadonlyMap<HostId, number>;

function groupBody({ cidr, blocks }: GroupOnMap, numbers: HostNumbers) {
  const sum = blocks.map(({ usage }) => usage).reduce(sumOf, NO_USAGE);
  const hosts = blocks.flatMap(({ host }) => (host === undefined ? [] : (numbers.get(host) ?? [])));
  return {
    cidr: formatCidr(cidr),
    blocks: blocks.length,
    hosts: [...new Set(hosts)],
    ...eachCount(sum, Number),
  };
}

function blocksBody({ cidr, blocks }: GroupOnMap, numbers: HostNumbers) {
  const column = (of: keyof BlockOnMap["usage"]) => blocks.map(({ usage }) => Number(usage[of]));
  return {
    cidr: formatCidr(cidr),
    blocks: blocks.map((block) => Number((block.cidr.base - cidr.base) / sizeOf(block.cidr))),
    hosts: blocks.map(({ host }) => (host === undefined ? null : (numbers.get(host) ?? null))),
    inUse: column("inUse"),
    hostReserved: column("hostReserved"),
    reserved: column("reserved"),
    cooling: column("cooling"),
    available: column("available"),
  };
}

/** Identifies the map of a cursor. */
const mapOf = ({ space, name, cidr, detail }: Omit<MapAsked, "limit">) => [
  "map",
  space,
  name,
  cidr ? formatCidr(cidr) : null,
  detail,
];
