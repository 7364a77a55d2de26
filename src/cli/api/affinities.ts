import type * as v from "valibot";
import type { affinitiesRead, spaceAffinitiesRead } from "../../contract/answers/answers.ts";
import { AFFINITIES_PER_PAGE_MAX, BLOCKS_PER_PAGE_MAX } from "../../domain/limits.ts";
import { type Client, pages, path } from "./client.ts";

type AffinityPage = v.InferOutput<typeof affinitiesRead>;
/** A block with its owner. */
export type Affinity = AffinityPage["affinities"][number] & {
  readonly host: string;
  readonly affinityType: string;
};

/** Lists the blocks of every host, or those of a pool. */
export async function affinitiesOfAll(
  client: Client,
  pool: string | undefined,
): Promise<Affinity[]> {
  const rows: Affinity[] = [];
  for await (const page of pages<v.InferOutput<typeof spaceAffinitiesRead>>(
    client,
    path`/v1/affinities`,
    { pool, limit: AFFINITIES_PER_PAGE_MAX },
  ))
    rows.push(...page.affinities.map((row) => ({ ...row, borrowed: false })));
  return rows;
}

/** Lists the blocks of a host, and those from which it borrows. */
export async function affinitiesOfHost(
  client: Client,
  {
    host: name,
    affinityType: type,
  }: { readonly host: string; readonly affinityType?: string | undefined },
): Promise<Affinity[]> {
  const rows: Affinity[] = [];
  for await (const page of pages<AffinityPage>(client, path`/v1/nodes/${name}/affinities`, {
    affinityType: type,
    limit: BLOCKS_PER_PAGE_MAX,
  })) {
    const { host, affinityType } = page;
    rows.push(...page.affinities.map(({ cidr, ...row }) => ({ cidr, host, affinityType, ...row })));
  }
  return rows;
}
