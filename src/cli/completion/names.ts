import { SPACE_DEFAULT } from "../../api/route.ts";
import { fromJson } from "../../api/schema/json-values.ts";
import {
  clientOver,
  type Page,
  type Path,
  type PlatClient,
  pagesOf,
  path,
} from "../../client/index.ts";
import type { Contents } from "../../invariants/contents.ts";

/** The maximum wait of a person after the tab key. */
const NAMES_MS_MAX = 1_000;

type Offer = (names: readonly (string | undefined)[]) => void;
type Source = (client: PlatClient, offer: Offer) => Promise<unknown>;

/** Reads names from a list of the API, page by page. */
const listed =
  (route: Path, list: string, field: string): Source =>
  async (client, offer) => {
    for await (const page of pagesOf<Readonly<Record<string, unknown>> & Page>(client.call, {
      method: "GET",
      path: route,
    }))
      offer((page[list] as readonly Readonly<Record<string, string>>[]).map((one) => one[field]));
  };

const nodes = listed(path`/v1/nodes`, "nodes", "name");
const owners = listed(path`/v1/affinities`, "affinities", "host");

/** Reads handles from the contents of the space, because no route lists them. */
const handles: Source = async (client, offer) => {
  for await (const page of client.pages.listContents()) {
    const { allocations = [] } = fromJson(page.contents) as Partial<Contents>;
    offer(allocations.map(({ handle }) => handle));
  }
};

/** The source of names for a placeholder such as `<pool>`. */
const SOURCES: Readonly<Record<string, Source>> = {
  pool: listed(path`/v1/pools`, "pools", "name"),
  reservation: listed(path`/v1/reservations`, "reservations", "name"),
  quota: listed(path`/v1/quotas`, "quotas", "name"),
  namespace: listed(path`/v1/namespaces`, "namespaces", "name"),
  node: nodes,
  host: (client, offer) => Promise.all([nodes(client, offer), owners(client, offer)]),
  block: listed(path`/v1/blocks`, "blocks", "cidr"),
  job: listed(path`/v1/jobs`, "jobs", "id"),
  handle: handles,
  // The list of spaces needs a role in every space. Without it these two are offered.
  space: (client, offer) => {
    offer([SPACE_DEFAULT, client.space]);
    return listed(path`/v1/spaces`, "spaces", "name")(client, offer);
  },
};

export const isNamed = (placeholder: string): boolean => Object.hasOwn(SOURCES, placeholder);

/**
 * Returns the names for a placeholder: those that the API returns within `NAMES_MS_MAX`. An API that does not answer yields no
 * name and no error, because the person is still typing the command.
 */
export async function namesFor(
  placeholder: string,
  client: PlatClient,
): Promise<readonly string[]> {
  const names = new Set<string>();
  const signal = AbortSignal.timeout(NAMES_MS_MAX);
  const source = SOURCES[placeholder];
  const offer: Offer = (found) => {
    for (const name of found) if (name !== undefined) names.add(name);
  };
  const inTime = clientOver((request) => client.call({ ...request, signal }), client.space);
  const over = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  await Promise.race([source?.(inTime, offer).catch(() => {}), over]);
  return [...names].sort();
}
