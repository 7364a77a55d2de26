import type { Contents } from "./contents.ts";

/** What of a table belongs to one space; of what cannot be read, its key says so. */
export function withinSpace(contents: Contents, space: string): Contents {
  const ours = (item: { readonly space: string }) => item.space === space;
  return {
    blocks: contents.blocks.filter(ours),
    affinities: contents.affinities.filter(ours),
    fullBlocks: contents.fullBlocks.filter(ours),
    borrowedBlocks: contents.borrowedBlocks.filter(ours),
    quotaSlots: contents.quotaSlots.filter(ours),
    allocations: contents.allocations.filter(({ place }) => ours(place)),
    pools: contents.pools.filter(ours),
    reservations: contents.reservations.filter(ours),
    plans: contents.plans.filter(ours),
    maps: contents.maps.filter(ours),
    fullPools: contents.fullPools.filter(ours),
    jobs: contents.jobs.filter(ours),
    nodes: contents.nodes.filter(ours),
    nodeEntries: contents.nodeEntries.filter(ours),
    namespaces: contents.namespaces.filter(ours),
    unreadable: contents.unreadable.filter(({ key }) => concerns(key, space)),
  };
}

/** What belongs to the table as a whole concerns every space. */
const concerns = (key: string, space: string): boolean =>
  /^(TABLE|SWEEP|CURSOR) /.test(key) || spaceOfKey(key) === space;

/** What a person calls the block of a key, if one of the space stands under it. */
export function blockOfKey(key: string, space: string): string | undefined {
  const address = /^BLOCK#\S+ (\S+)$/.exec(key)?.[1];
  return address !== undefined && spaceOfKey(key) === space ? `block ${address}` : undefined;
}

/** Both parts of a key as one text begin with a kind, and then the space: `HOST#default#host:n1 NODE`, `JOBS default#j`. */
const spaceOfKey = (key: string): string | undefined => /^[A-Z]+[# ]([^# ]*)/.exec(key)?.[1];
