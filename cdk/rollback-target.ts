/** The versions and aliases of one function. */
export interface FunctionVersions {
  /** The version that the alias leads to. */
  readonly live: string;
  /** The alias' revision. */
  readonly revision: string;
  readonly versions: readonly { readonly version: string; readonly modifiedMs: number }[];
  /** Earlier rollbacks, in any order. */
  readonly rollBacks: readonly RollBack[];
}

export interface RollBack {
  readonly from: string;
  readonly to: string;
}

export interface Target {
  readonly version: string;
  /** Newer ones from before the same time, which an earlier roll back left. */
  readonly skipped: readonly string[];
}

/**
 * Returns the version that a function goes back to: what was live before a time. That is the newest version from before it
 * which no roll back has left since. A deployment publishes a version of a function only where something of it changed, so
 * that "the version before" may be of another deployment.
 *
 * @returns nothing where the alias leads to it, or to an older one, or where the function was not there yet
 */
export function targetOf(
  { live, versions, rollBacks }: FunctionVersions,
  beforeMs: number,
): Target | undefined {
  const before = versions
    .filter(({ modifiedMs }) => modifiedMs < beforeMs)
    .map(({ version }) => Number(version))
    .sort((a, b) => b - a);
  // What is live again was put back in force by hand.
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

/** Says why no function moved. `beforeMs` is when the last deployment began, unless a time was `named`. */
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
 * Returns the name of the alias that remembers a roll back. An alias of its own, because a deployment leaves alone what its
 * template has never had, while it may set back a tag of the function or the description of the alias that it moves. It
 * takes one right more than the move, `lambda:CreateAlias`.
 */
export function markOf({ from, to }: RollBack): string {
  return `back-from-${from}-to-${to}`;
}

/** Returns the roll back that an alias remembers, by its name. */
export function rollBackOf(alias: string): RollBack | undefined {
  const [, from, to] = MARK.exec(alias) ?? [];
  return from !== undefined && to !== undefined ? { from, to } : undefined;
}
