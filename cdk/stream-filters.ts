import { PARTITIONS } from "./access.ts";

/** The partition of the positions of `repair`, from which no event and no line of the trail follows. */
const LEFT_OUT: readonly string[] = [PARTITIONS.SWEEP];

/** The items that are published of partitions that have hints as well, by the starts of their sort keys. */
const SORT_KEYS: Readonly<Record<string, readonly string[]>> = {
  [PARTITIONS.HOST]: ["AFFINITY", "NODE", "TAKEN"],
  [PARTITIONS.NODE]: ["CILIUM", "GONE", "STATUS"],
};

/** A rule of a filter: the value, or its start. */
type Matcher = string | { readonly prefix: string };

const beginning = (prefix: string): Matcher => ({ prefix });
const matcherOf = (partition: string): Matcher =>
  partition.endsWith("*") ? beginning(partition.slice(0, -1)) : partition;

const filterOf = (pk: readonly Matcher[], sk?: readonly Matcher[]) => ({
  dynamodb: { Keys: { pk: { S: pk }, ...(sk && { sk: { S: sk } }) } },
});

/**
 * The filters of the table's stream: a change is published if one of them matches. Lambda asks nothing for a change
 * that no filter matches (https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html).
 */
export const STREAM_FILTERS = [
  filterOf(
    Object.values(PARTITIONS)
      .filter((partition) => !LEFT_OUT.includes(partition) && !(partition in SORT_KEYS))
      .map(matcherOf),
  ),
  ...Object.entries(SORT_KEYS).map(([partition, starts]) =>
    filterOf([matcherOf(partition)], starts.map(beginning)),
  ),
];
