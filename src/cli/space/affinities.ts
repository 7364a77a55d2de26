import { AFFINITIES_PER_PAGE_MAX, BLOCKS_PER_PAGE_MAX } from "../../base/limits.ts";
import type { Answer, PlatClient } from "../../client/index.ts";
import type { AffinityType } from "../../kernel/values/host.ts";
import { type KnownList, knownIn } from "./lists.ts";

/** A block with its owner. */
export type Affinity = Answer<"listAffinities">["affinities"][number] & {
  readonly host: string;
  readonly affinityType: AffinityType;
};

/** Lists the blocks of every host, or those of a pool. */
export const affinitiesOfAll = (
  client: PlatClient,
  pool: string | undefined,
): Promise<KnownList<Affinity>> =>
  knownIn(
    client.pages.listSpaceAffinities({ pool, limit: AFFINITIES_PER_PAGE_MAX }),
    ({ affinities }) => affinities.map((row) => ({ ...row, borrowed: false })),
  );

/** Lists the blocks of a host, and those from which it borrows. */
export const affinitiesOfHost = (
  client: PlatClient,
  {
    host: node,
    affinityType: type,
  }: { readonly host: string; readonly affinityType?: AffinityType | undefined },
): Promise<KnownList<Affinity>> =>
  knownIn(
    client.pages.listAffinities({ node, affinityType: type, limit: BLOCKS_PER_PAGE_MAX }),
    ({ host, affinityType, affinities }) =>
      affinities.map(({ cidr, ...row }) => ({ cidr, host, affinityType, ...row })),
  );
