import type * as v from "valibot";
import type { PlatClient } from "../../client/index.ts";
import type {
  applicationRead,
  labelledRead,
  poolRead,
  reservationRead,
  settingsRead,
} from "../../contract/answers.ts";
import { formatCidr } from "../../net/cidr.ts";
import { nameOfApplication } from "../../nouns/application/application.ts";
import { type BlockSummary, listBlocks } from "../api/blocks.ts";
import { APPLICATION, type Kind, NAMESPACE, NODE, POOL, RESERVATION } from "../resource/kind.ts";
import { listAll } from "../resource/list.ts";
import type { Progress } from "../shell/io.ts";
import { type HeldAddress, type HeldBy, readHeld } from "../snapshot/held.ts";
import type { Desired } from "./desired.ts";

export type Pool = v.InferOutput<typeof poolRead>;
export type CurrentApplication = v.InferOutput<typeof applicationRead>;
type Reservation = v.InferOutput<typeof reservationRead>;
export type Settings = v.InferOutput<typeof settingsRead>;

/** An address in its block, and its owners. */
export type CurrentAddress = HeldAddress & Pick<HeldBy, "owner">;

/** The current state of Plat, as far as it concerns the desired state. */
export interface Current {
  readonly pools: readonly Pool[];
  readonly settings: Settings;
  readonly reservations: ReadonlyMap<string, readonly string[]>;
  /** Labels by `nodes/name` and `namespaces/name`. */
  readonly labelled: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** By name, such as `shop/Deployment/web`; empty if the desired state has none. */
  readonly applications: ReadonlyMap<string, CurrentApplication>;
  readonly blocks: ReadonlyMap<string, BlockSummary>;
  /** The addresses of the desired blocks that are assigned or cool. */
  readonly addresses: ReadonlyMap<string, CurrentAddress>;
}

/** Reads the current state of Plat; it writes nothing. */
export async function readCurrent(
  client: PlatClient,
  desired: Desired,
  shown: Progress,
): Promise<Current> {
  const [{ reservations, ...configuration }, nodes, namespaces, applications, blocks] =
    await Promise.all([
      readConfiguration(client),
      labelsOf(client, NODE),
      labelsOf(client, NAMESPACE),
      desired.applications ? listAll<CurrentApplication>(client, APPLICATION) : [],
      listBlocks(client),
    ]);
  const cidrs = new Set(desired.blocks.map(({ cidr }) => formatCidr(cidr)));
  const concerned = blocks.filter(({ cidr }) => cidrs.has(cidr));
  return {
    ...configuration,
    reservations: new Map(reservations.map(({ name, cidrs }) => [name, cidrs])),
    labelled: new Map([...nodes, ...namespaces]),
    applications: new Map(applications.map((one) => [nameOfApplication(one), one] as const)),
    blocks: new Map(blocks.map((block) => [block.cidr, block])),
    addresses: await readAddresses(client, concerned, shown),
  };
}

/** Reads the settings of the space and its pools. */
export async function readConfiguration(client: PlatClient) {
  const [pools, { body: settings }, reservations] = await Promise.all([
    listAll<Pool>(client, POOL),
    client.readConfiguration(),
    listAll<Reservation>(client, RESERVATION),
  ]);
  return { pools, settings, reservations };
}

/** Reads labels, by `nodes/name` and `namespaces/name`. */
async function labelsOf(client: PlatClient, kind: Kind) {
  const all = await listAll<v.InferOutput<typeof labelledRead>>(client, kind);
  return all.map(({ name, labels }) => [`${kind.plural}/${name}`, labels] as const);
}

async function readAddresses(
  client: PlatClient,
  concerned: readonly BlockSummary[],
  shown: Progress,
): Promise<Current["addresses"]> {
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
