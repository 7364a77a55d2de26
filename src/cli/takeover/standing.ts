import type * as v from "valibot";
import { formatCidr } from "../../domain/cidr.ts";
import { LABELLED_PER_PAGE_MAX } from "../../domain/limits.ts";
import type {
  namespacesRead,
  nodesRead,
  poolsRead,
  reservationsRead,
  settingsRead,
} from "../../edge/answers.ts";
import { type BlockSummary, listBlocks } from "../blocks.ts";
import { type Client, type Path, pages, path } from "../client.ts";
import { type HeldAddress, type HeldBy, readHeld } from "../held.ts";
import type { Progress } from "../io.ts";
import type { Wanted } from "./wanted.ts";

export type Pool = v.InferOutput<typeof poolsRead>["pools"][number];
export type Settings = v.InferOutput<typeof settingsRead>;

/** An address as its block tells of it, and its owners. */
export type StandingAddress = HeldAddress & Pick<HeldBy, "owner">;

/** What Plat has by now, as far as it concerns what is wanted. */
export interface Standing {
  readonly pools: readonly Pool[];
  readonly settings: Settings;
  readonly reservations: ReadonlyMap<string, readonly string[]>;
  /** By `nodes/name` and `namespaces/name`. */
  readonly labelled: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly blocks: ReadonlyMap<string, BlockSummary>;
  /** Those of the wanted blocks that are assigned or cool. */
  readonly addresses: ReadonlyMap<string, StandingAddress>;
}

/** Reads what Plat has. Nothing is written. */
export async function readStanding(
  client: Client,
  wanted: Wanted,
  shown: Progress,
): Promise<Standing> {
  const [{ reservations, ...configuration }, nodes, namespaces, blocks] = await Promise.all([
    readConfiguration(client),
    labelsOf<v.InferOutput<typeof nodesRead>, "nodes">(client, "nodes"),
    labelsOf<v.InferOutput<typeof namespacesRead>, "namespaces">(client, "namespaces"),
    listBlocks(client),
  ]);
  const cidrs = new Set(wanted.blocks.map(({ cidr }) => formatCidr(cidr)));
  const concerned = blocks.filter(({ cidr }) => cidrs.has(cidr));
  return {
    ...configuration,
    reservations: new Map(reservations.map(({ name, cidrs }) => [name, cidrs])),
    labelled: new Map([...nodes, ...namespaces]),
    blocks: new Map(blocks.map((block) => [block.cidr, block])),
    addresses: await readAddresses(client, concerned, shown),
  };
}

/** What operators have said, for the space and for its pools. */
export async function readConfiguration(client: Client) {
  const get = async <Body>(route: Path) =>
    (await client.call<Body>({ method: "GET", path: route })).body;
  const [{ pools }, settings, { reservations }] = await Promise.all([
    get<v.InferOutput<typeof poolsRead>>(path`/v1/pools`),
    get<Settings>(path`/v1/config`),
    get<v.InferOutput<typeof reservationsRead>>(path`/v1/reservations`),
  ]);
  return { pools, settings, reservations };
}

async function labelsOf<Page extends { readonly next?: string | undefined }, List extends string>(
  client: Client,
  list: List,
): Promise<[string, Readonly<Record<string, string>>][]> {
  type Labelled = { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  const all: [string, Readonly<Record<string, string>>][] = [];
  const query = { limit: LABELLED_PER_PAGE_MAX };
  for await (const page of pages<Page & { readonly [list in List]: readonly Labelled[] }>(
    client,
    path`/v1/${list}`,
    query,
  ))
    for (const { name, labels } of page[list]) all.push([`${list}/${name}`, labels]);
  return all;
}

async function readAddresses(
  client: Client,
  concerned: readonly BlockSummary[],
  shown: Progress,
): Promise<Standing["addresses"]> {
  const used = concerned.filter(({ inUse, cooling }) => inUse !== 0 || cooling !== 0);
  if (used.length === 0) return new Map();
  const { blocks, owners } = await readHeld(client, used, shown);
  const addresses = blocks.flatMap((block) => block.addresses);
  return new Map(
    addresses.map((one) => {
      const { owner } = owners.get(one.address) ?? {};
      return [one.address, { ...one, ...(owner && { owner }) }];
    }),
  );
}
