import type { Contents } from "./contents.ts";

/** Returns the contents of one space; the key of an unreadable item tells its space. */
export function withinSpace(contents: Contents, space: string): Contents {
  const ours = (item: { readonly space: string }) => item.space === space;
  return {
    blocks: contents.blocks.filter(ours),
    affinities: contents.affinities.filter(ours),
    fullBlocks: contents.fullBlocks.filter(ours),
    borrowedBlocks: contents.borrowedBlocks.filter(ours),
    quotaSlots: contents.quotaSlots.filter(ours),
    allocations: contents.allocations.filter(({ place }) => ours(place)),
    indexEntries: contents.indexEntries.filter(ours),
    applications: contents.applications.filter(ours),
    pools: contents.pools.filter(ours),
    reservations: contents.reservations.filter(ours),
    quotas: contents.quotas.filter(ours),
    indexes: contents.indexes.filter(ours),
    walks: contents.walks,
    budgets: contents.budgets.filter(ours),
    requestRates: contents.requestRates.filter(ours),
    plans: contents.plans.filter(ours),
    maps: contents.maps.filter(ours),
    fullPools: contents.fullPools.filter(ours),
    poolUsages: contents.poolUsages.filter(ours),
    jobs: contents.jobs.filter(ours),
    nodes: contents.nodes.filter(ours),
    nodeEntries: contents.nodeEntries.filter(ours),
    nodeReports: contents.nodeReports.filter(ours),
    ciliumReports: contents.ciliumReports.filter(ours),
    signsOfLife: contents.signsOfLife.filter(ours),
    tombstones: contents.tombstones.filter(ours),
    statedRanges: contents.statedRanges.filter(ours),
    namespaces: contents.namespaces.filter(ours),
    unreadable: contents.unreadable.filter(({ key }) => concerns(key, space)),
  };
}

/** Returns whether a key concerns the space; keys of the whole table, and of machines, concern every space. */
const concerns = (key: string, space: string): boolean =>
  /^(TABLE|SWEEP|MACHINE)[ #]/.test(key) || spaceOfKey(key) === space;

/** Returns the name of the block under a key of the space, if there is one. */
export function blockOfKey(key: string, space: string): string | undefined {
  const address = /^BLOCK#\S+ (\S+)$/.exec(key)?.[1];
  return address !== undefined && spaceOfKey(key) === space ? `block ${address}` : undefined;
}

/**
 * Returns the space in a key as one text. Both parts of a key begin with a kind, and then the space:
 * `HOST#default#host:n1 NODE`, `JOBS default#j`.
 */
const spaceOfKey = (key: string): string | undefined => /^[A-Z]+[# ]([^# ]*)/.exec(key)?.[1];
