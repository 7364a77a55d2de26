/**
 * The alias of a function, which points to the version that requests and schedules invoke. A rollback moves it back,
 * and a deployment moves it to the new version.
 */
export const LIVE_ALIAS = "live";

export interface FunctionVersion {
  readonly version: string;
  readonly modifiedMs: number;
  /** The table that its settings name; absent if they name none or cannot be read. */
  readonly table?: string | undefined;
}

/** The versions and aliases of one function. */
export interface FunctionVersions {
  /** The version that the alias points to. */
  readonly live: string;
  /** The revision of the alias. */
  readonly revision: string;
  readonly versions: readonly FunctionVersion[];
  /** Earlier rollbacks, in any order. */
  readonly rollBacks: readonly RollBack[];
}

export interface RollBack {
  readonly from: string;
  readonly to: string;
}

export interface RollbackTarget {
  readonly version: string;
  /** Newer versions from before the same time, which an earlier rollback left. */
  readonly skipped: readonly string[];
}

/**
 * Returns the version to which a function goes back: the newest one that was live before a time and that no rollback
 * has left since. A deployment publishes a version only of a changed function, so the version before the current one
 * may be of another deployment.
 *
 * @returns nothing if the alias points to it or to an older one, or if the function did not exist yet
 */
export function targetOf(
  { live, versions, rollBacks }: FunctionVersions,
  beforeMs: number,
): RollbackTarget | undefined {
  const before = versions
    .filter(({ modifiedMs }) => modifiedMs < beforeMs)
    .map(({ version }) => Number(version))
    .sort((a, b) => b - a);
  // An operator has made this version live again by hand.
  const wasLeft = (version: number) =>
    version !== Number(live) &&
    rollBacks.some(({ from, to }) => version > Number(to) && version <= Number(from));
  const target = before.find((version) => !wasLeft(version));
  if (target === undefined || target >= Number(live)) return undefined;
  return {
    version: String(target),
    skipped: before.filter((version) => version > target).map(String),
  };
}

/** Returns the tables of the live version and of the one to go back to; nothing if they are the same, or if one is unknown. */
export function tablesApart(
  { live, versions }: FunctionVersions,
  target: string,
): { readonly live: string; readonly target: string } | undefined {
  const tableOf = (name: string) => versions.find(({ version }) => version === name)?.table;
  const tables = { live: tableOf(live), target: tableOf(target) };
  if (tables.live === undefined || tables.target === undefined) return undefined;
  return tables.live === tables.target ? undefined : { live: tables.live, target: tables.target };
}

/**
 * Returns the reason why no function moved. `beforeMs` is the start of the last deployment, unless a time was `named`.
 */
export function whyNoneMoved(
  functions: readonly FunctionVersions[],
  beforeMs: number,
  named: boolean,
): string {
  const time = new Date(beforeMs).toISOString();
  const all = functions.flatMap(({ versions }) => versions);
  if (!named && all.every(({ modifiedMs }) => modifiedMs < beforeMs))
    return `The last deployment, of ${time}, changed no function. To go further back, name a time: --before 2026-01-31T12:00:00Z.`;
  if (all.some(({ modifiedMs }) => modifiedMs < beforeMs))
    return `Every function is already at what was deployed before ${time}, or at something older.`;
  return `No function has a version from before ${time} to go back to.`;
}

const MARK = /^back-from-(\d+)-to-(\d+)$/;

/**
 * Returns the name of the alias that records a rollback. It is a separate alias, because a deployment does not touch an
 * alias that its template never had. It may reset a tag of the function or the description of the alias that it moves.
 * The alias needs one right more than the move, `lambda:CreateAlias`.
 */
export function markOf({ from, to }: RollBack): string {
  return `back-from-${from}-to-${to}`;
}

/** Returns the rollback that an alias records, by its name. */
export function rollBackOf(alias: string): RollBack | undefined {
  const [, from, to] = MARK.exec(alias) ?? [];
  return from !== undefined && to !== undefined ? { from, to } : undefined;
}
