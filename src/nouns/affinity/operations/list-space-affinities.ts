import { PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import type { ListedPage } from "../../../base/listed.ts";
import { CorruptItemError, type Rejection } from "../../../base/outcome.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import type { BlockAffinity } from "../../../kernel/values/affinity.ts";
import { type Block, takenIn } from "../../../kernel/values/block.ts";
import {
  type AffinityType,
  affinityTypeOf,
  type HostId,
  hostName,
} from "../../../kernel/values/host.ts";
import { formatCidr, sameCidr } from "../../../net/cidr.ts";
import { type BlocksPosition, pageOfBlocks } from "../../block/operations/list-blocks.ts";
import { poolNamed } from "../../pool/configuration.ts";

/** A block with its owner, and the state of the affinity. */
export interface SpaceAffinity {
  readonly cidr: string;
  readonly pool: string;
  readonly host: string;
  readonly affinityType: AffinityType;
  /** Also `pending` if a crash lost the affinity and no scheduled run has restored it yet. */
  readonly state: BlockAffinity["state"];
  readonly claimedAtMs: number;
  /** The number of assigned addresses, of any owner. */
  readonly used: number;
}

export interface SpaceAffinitiesWanted {
  readonly space: string;
  readonly pool?: string | undefined;
  readonly limit: number;
  readonly position?: BlocksPosition | undefined;
}

/**
 * Returns a page of the affinities of all hosts of a space, or of a pool (Calico's list of BlockAffinities). It reads
 * the blocks that have a host, pool by pool, and the affinities of each host on the page once. It scans no table, so a
 * claim whose block does not exist yet appears only in the list of its host. Strongly consistent, but no snapshot.
 */
export async function listSpaceAffinities(
  context: Context,
  wanted: SpaceAffinitiesWanted,
): Promise<ListedPage<SpaceAffinity, BlocksPosition> | Rejection> {
  const { space, pool } = wanted;
  const configuration = await context.store.readSpace(space);
  if (pool !== undefined && !poolNamed(configuration, pool)) return notFound(space, "pool", pool);
  const {
    items,
    unreadable = [],
    ...page
  } = await pageOfBlocks(context, configuration, wanted, hasHost);
  const owned = items.filter(hasHost);
  const hosts = [...new Set(owned.map(({ host }) => host))];
  const read = await inParallel(hosts, PAGE_READS_AT_ONCE, async (host) => ({
    host,
    affinities: await affinitiesOf(context, space, host),
  }));
  const unread = read.flatMap(({ affinities }) =>
    affinities instanceof CorruptItemError ? [affinities] : [],
  );
  const affinitiesOfHosts = new Map(read.map(({ host, affinities }) => [host, affinities]));
  const affinities = owned.flatMap((block): SpaceAffinity[] => {
    const affinities = affinitiesOfHosts.get(block.host);
    return !affinities || affinities instanceof CorruptItemError
      ? []
      : [affinityOf(block, affinities)];
  });
  return { items: affinities, unreadable: [...unreadable, ...unread], ...page };
}

/** Reads the affinities of a host. An unreadable host does not keep the others back. */
const affinitiesOf = ({ store }: Context, space: string, host: HostId) =>
  store.listAffinities(space, host).catch((error: unknown) => {
    if (error instanceof CorruptItemError) return error;
    throw error;
  });

type OwnedBlock = Block & { readonly host: HostId };

const hasHost = (block: Block): block is OwnedBlock => block.host !== undefined;

function affinityOf(block: OwnedBlock, affinities: readonly BlockAffinity[]): SpaceAffinity {
  const { cidr, pool, host, claimedAtMs } = block;
  const affinity = affinities.find((each) => sameCidr(each.block, cidr));
  return {
    cidr: formatCidr(cidr),
    pool,
    host: hostName(host),
    affinityType: affinityTypeOf(host),
    state: affinity?.state ?? "pending",
    claimedAtMs,
    used: takenIn(block),
  };
}
