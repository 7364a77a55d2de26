/**
 * The definition of the one table. The CDK deploys it, and a local DynamoDB creates it.
 *
 * Every item has the key `pk` + `sk`. The only index is sparse: it has an item while the item
 * carries `dueShard` and `dueAt`. It suggests work to the repair run and decides nothing, so it
 * projects keys only.
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

/** Returns the partition of the due index for a shard. */
export const dueShard = (shard: number): string => `DUE#${shard}`;

/**
 * The definition of the table of the history. DynamoDB deletes an item within days after its time,
 * in seconds since the epoch
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html).
 */
export const HISTORY = {
  partitionKey: "pk",
  sortKey: "sk",
  timeToLive: "expires",
} as const;
