/** The Region and the id of a table. DynamoDB gives each table an id of its own, also one that it restores from a backup. */
export interface TableIdentity {
  readonly region: string;
  readonly id: string;
}

/** A table as the database describes it. */
export interface DescribedTable extends TableIdentity {
  /** The other Regions that have a replica of it. */
  readonly replicas: readonly string[];
}

/** The entry of a table about itself. */
export interface TableRegister {
  /** The ids of the table and of its replicas, by their Regions; empty before the first scheduled run. */
  readonly ids: Readonly<Record<string, string>>;
  /** The reason why no write is served, in words that follow "the table"; absent if nobody froze the table. */
  readonly frozenBecause?: string;
  /** The time of the last mark. The marker beside the table has none that is later. */
  readonly markedAtMs?: number;
}

/**
 * Returns why a table must not be written, as a sentence without its full stop; nothing if it may. A table that names no table at all is
 * new, so nothing can be compared.
 */
export function whyFrozen(
  { ids, frozenBecause }: TableRegister,
  { region, id }: TableIdentity,
): string | undefined {
  if (frozenBecause !== undefined) return `the table ${frozenBecause}`;
  if (Object.keys(ids).length === 0 || ids[region] === id) return undefined;
  return ids[region] === undefined
    ? "the table was copied to a Region that its register does not name"
    : "the table was restored from a backup: its register names another table";
}
