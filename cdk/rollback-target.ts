/** What Lambda says of one function. */
export interface FunctionVersions {
  /** The version that the alias leads to. */
  readonly live: string;
  /** The alias' revision. */
  readonly revision: string;
  readonly versions: readonly { readonly version: string; readonly modifiedMs: number }[];
}

/**
 * Returns the version that a function goes back to: the newest of those from before a time. A deployment publishes a
 * version of a function only where something of it changed, so that "the version before" may be of another deployment.
 *
 * @returns nothing where the alias leads to it, or to an older one, or where the function was not there yet
 */
export function targetOf(
  { live, versions }: FunctionVersions,
  beforeMs: number,
): string | undefined {
  const [newest] = versions
    .filter(({ modifiedMs }) => modifiedMs < beforeMs)
    .map(({ version }) => Number(version))
    .sort((a, b) => b - a);
  return newest !== undefined && newest < Number(live) ? String(newest) : undefined;
}
