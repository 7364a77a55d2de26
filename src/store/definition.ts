/**
 * The one table, as the CDK deploys it and as a laptop creates it.
 *
 * Everything is keyed by `pk` + `sk`. The only index is sparse: an item is in it while it carries
 * `dueShard` and `dueAt`. It suggests work to the repair run and decides nothing, so it projects keys only.
 */
export const TABLE = {
  partitionKey: "pk",
  sortKey: "sk",
  dueIndex: {
    name: "due",
    partitionKey: "dueShard",
    sortKey: "dueAt",
  },
} as const;
