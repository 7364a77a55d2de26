import { NAMED_PER_PAGE_MAX } from "../../api/query.ts";
import { APPLICATIONS_PER_PAGE_MAX, LABELLED_PER_PAGE_MAX } from "../../base/limits.ts";
import type { Answer, PlatClient } from "../../client/index.ts";
import { type AddressSet, subtract, unionOf } from "../../net/address-set.ts";
import { parsePlainInterval } from "../../net/plain-form.ts";
import { allIn } from "./lists.ts";

/** The definitions of operators in a space: its pools, its settings and its reservations. */
export interface Configuration {
  readonly pools: readonly PoolRead[];
  readonly settings: SettingsRead;
  readonly reservations: readonly Answer<"readReservation">[];
}

export type PoolRead = Answer<"readPool">;
export type SettingsRead = Answer<"readConfiguration">;
export type ApplicationRead = Answer<"readApplication">;

/** Reads the settings of a space, its pools and its reservations. */
export async function readConfiguration(client: PlatClient): Promise<Configuration> {
  const [pools, { body: settings }, reservations] = await Promise.all([
    readPools(client),
    client.readConfiguration(),
    allIn(
      client.pages.listReservations({ limit: NAMED_PER_PAGE_MAX }),
      ({ reservations }) => reservations,
    ),
  ]);
  return { pools, settings, reservations };
}

/** Reads the pools of a space. */
export const readPools = (client: PlatClient): Promise<readonly PoolRead[]> =>
  allIn(client.pages.listPools({ limit: NAMED_PER_PAGE_MAX }), ({ pools }) => pools);

/** Returns the addresses of a pool with ranges, from the texts of its fields; nothing for any other pool. */
export const rangedSetOf = ({
  ranges,
  excludes = [],
}: {
  readonly ranges?: readonly string[] | undefined;
  readonly excludes?: readonly string[] | undefined;
}): AddressSet | undefined =>
  ranges && subtract(addressSetOfTexts(ranges), addressSetOfTexts(excludes));

/** Returns the addresses of CIDRs, addresses and ranges, as the API writes them. */
export const addressSetOfTexts = (texts: readonly string[]): AddressSet =>
  unionOf(
    texts.flatMap((text) => {
      const read = parsePlainInterval(text);
      return read.ok ? [read.value.interval] : [];
    }),
  );

/** Reads the applications of a space. */
export const readApplications = (client: PlatClient): Promise<readonly ApplicationRead[]> =>
  allIn(
    client.pages.listApplications({ limit: APPLICATIONS_PER_PAGE_MAX }),
    ({ applications }) => applications,
  );

/** Reads the labels of what is registered, by `nodes/name` and `namespaces/name`. */
export async function readLabels(
  client: PlatClient,
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const limit = LABELLED_PER_PAGE_MAX;
  const [nodes, namespaces] = await Promise.all([
    allIn(client.pages.listNodes({ limit }), ({ nodes }) => nodes),
    allIn(client.pages.listNamespaces({ limit }), ({ namespaces }) => namespaces),
  ]);
  return new Map([
    ...nodes.map(({ name, labels }) => [`nodes/${name}`, labels] as const),
    ...namespaces.map(({ name, labels }) => [`namespaces/${name}`, labels] as const),
  ]);
}
