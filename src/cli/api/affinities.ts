import { AFFINITIES_PER_PAGE_MAX, BLOCKS_PER_PAGE_MAX } from "../../base/limits.ts";
import type { Answer, PlatClient } from "../../client/index.ts";
import type { AffinityType } from "../../kernel/values/host.ts";

/** A block with its owner. */
export type Affinity = Answer<"listAffinities">["affinities"][number] & {
  readonly host: string;
  readonly affinityType: AffinityType;
};

/** Lists the blocks of every host, or those of a pool. */
export async function affinitiesOfAll(
  client: PlatClient,
  pool: string | undefined,
): Promise<Affinity[]> {
  const rows: Affinity[] = [];
  const pages = client.pages.listSpaceAffinities({ pool, limit: AFFINITIES_PER_PAGE_MAX });
  for await (const { affinities } of pages)
    rows.push(...affinities.map((row) => ({ ...row, borrowed: false })));
  return rows;
}

/** Lists the blocks of a host, and those from which it borrows. */
export async function affinitiesOfHost(
  client: PlatClient,
  {
    host: node,
    affinityType: type,
  }: { readonly host: string; readonly affinityType?: AffinityType | undefined },
): Promise<Affinity[]> {
  const rows: Affinity[] = [];
  for await (const page of client.pages.listAffinities({
    node,
    affinityType: type,
    limit: BLOCKS_PER_PAGE_MAX,
  })) {
    const { host, affinityType } = page;
    rows.push(...page.affinities.map(({ cidr, ...row }) => ({ cidr, host, affinityType, ...row })));
  }
  return rows;
}
