import { UNKNOWN_CALLER } from "../../base/actor.ts";
import { namedPrincipal } from "../../base/principal.ts";
import type { PlatClient } from "../../client/index.ts";
import { formatCidr } from "../../net/cidr.ts";
import { nameOfApplication } from "../../nouns/application/application.ts";
import type { ShownProgress } from "../shell/io.ts";
import { type AddressInBlock, allBlocks, type BlockStatus, mayCool } from "../space/blocks.ts";
import {
  type ApplicationRead,
  type PoolRead,
  readApplications,
  readConfiguration,
  readLabels,
  type SettingsRead,
} from "../space/configuration.ts";
import { type HeldBy, readOwnedBlocks } from "../space/space.ts";
import type { Desired } from "./desired.ts";

/** An address in its block, its owners, and the type of its host if that is known. */
export type CurrentAddress = AddressInBlock & Pick<HeldBy, "owner" | "affinityType">;

/** The current state of Plat, as far as it concerns the desired state. */
export interface CurrentState {
  /** The caller that imports, as the principals of a pool name it; undefined on a server without callers. */
  readonly caller: string | undefined;
  readonly pools: readonly PoolRead[];
  readonly settings: SettingsRead;
  readonly reservations: ReadonlyMap<string, readonly string[]>;
  /** Labels by `nodes/name` and `namespaces/name`. */
  readonly labelled: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** By name, such as `shop/Deployment/web`; empty if the desired state has none. */
  readonly applications: ReadonlyMap<string, ApplicationRead>;
  readonly blocks: ReadonlyMap<string, BlockStatus>;
  /** The addresses of the desired blocks that are assigned or cool. */
  readonly addresses: ReadonlyMap<string, CurrentAddress>;
}

/** Reads the current state of Plat; it writes nothing. */
export async function readCurrent(
  client: PlatClient,
  desired: Desired,
  shown: ShownProgress,
): Promise<CurrentState> {
  const [{ reservations, ...configuration }, labelled, applications, blocks, { body }] =
    await Promise.all([
      readConfiguration(client),
      readLabels(client),
      desired.applications ? readApplications(client) : [],
      allBlocks(client),
      client.readPrincipal(),
    ]);
  const cidrs = new Set(desired.blocks.map(({ cidr }) => formatCidr(cidr)));
  const concerned = blocks.filter(({ cidr }) => cidrs.has(cidr));
  return {
    ...configuration,
    caller: body.principal === UNKNOWN_CALLER ? undefined : namedPrincipal(body.principal),
    reservations: new Map(reservations.map(({ name, cidrs }) => [name, cidrs])),
    labelled,
    applications: new Map(applications.map((one) => [nameOfApplication(one), one] as const)),
    blocks: new Map(blocks.map((block) => [block.cidr, block])),
    addresses: await readAddresses(client, concerned, shown),
  };
}

async function readAddresses(
  client: PlatClient,
  concerned: readonly BlockStatus[],
  shown: ShownProgress,
): Promise<CurrentState["addresses"]> {
  const used = concerned.filter((block) => block.inUse !== 0 || mayCool(block));
  if (used.length === 0) return new Map();
  const { blocks, owners } = await readOwnedBlocks(client, used, shown);
  const addresses = blocks.flatMap((block) => block.addresses);
  return new Map(
    addresses.map((one) => {
      const { owner, affinityType } = owners.get(one.address) ?? {};
      return [
        one.address,
        { ...one, ...(owner && { owner }), ...(affinityType && { affinityType }) },
      ];
    }),
  );
}
