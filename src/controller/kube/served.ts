import { type KubeApi, KubeError } from "./api.ts";
import type { Waits } from "./waits.ts";

/** The wait before the API server is asked again which versions it has. */
const AGAIN_MS = 10_000;
const NOT_FOUND = 404;

/** The version of the kinds that belong to no group. */
const CORE = "v1";

/** Returns the group of a version; empty for the core. */
export const apiGroupOf = (version: string): string =>
  version === CORE ? "" : version.replace(/\/.*$/, "");

/** Returns the path of a collection. @param version that of its kind, with its group if it has one */
export const collectionPath = (version: string, resource: string): string =>
  `/${version === CORE ? "api" : "apis"}/${version}/${resource}`;

/**
 * Returns the first of some versions that the API server has.
 *
 * @param versions groups with their versions, such as `projectcalico.org/v3`, the best first
 * @throws {Error} if it has none of them
 */
export async function servedOf(api: KubeApi, versions: readonly string[]): Promise<string> {
  if (versions.includes(CORE)) return CORE;
  const groups = new Set(versions.map(apiGroupOf));
  const served: string[] = [];
  for (const group of groups)
    try {
      const found = await api.send<{ versions: readonly { version: string }[] }>({
        path: `/apis/${group}`,
      });
      served.push(...found.versions.map(({ version }) => `${group}/${version}`));
    } catch (error) {
      if (!(error instanceof KubeError) || error.status !== NOT_FOUND) throw error;
    }
  const first = versions.find((version) => served.includes(version));
  if (first !== undefined) return first;
  throw new Error(`the API server has none of ${versions.join(", ")}`);
}

/** Repeats a look until it finds what the API server has. Returns nothing if the signal came first. */
export async function onceServed<Found>(
  look: () => Promise<Found>,
  waits: Waits,
  missing: (error: unknown) => void,
  signal: AbortSignal,
): Promise<Found | undefined> {
  while (!signal.aborted)
    try {
      return await look();
    } catch (error) {
      missing(error);
      await waits.sleep(AGAIN_MS, signal);
    }
  return undefined;
}
