import type { Slot } from "../../src/kernel/values/slot.ts";
import { formatAddress } from "../../src/net/address.ts";
import { addressAt, type Cidr } from "../../src/net/cidr.ts";
import {
  type Application,
  type ApplicationName,
  type ApplicationSpec,
  applicationHash,
  type ListedAddress,
} from "../../src/nouns/application/application.ts";
import type { Pool } from "../../src/nouns/pool/pool.ts";
import { drafted } from "./drafts.ts";
import { someId } from "./drawn.ts";
import type { LargeTable } from "./large-table.ts";
import { blockItem, takenSlots } from "./scene.ts";

/** The Deployment of `webPod`. */
export const WEB: ApplicationName = { namespace: "shop", kind: "Deployment", name: "web" };

/** Returns what an operator asks for: this many addresses of a pool. */
export const specOf = (number: number, pools: readonly string[]): ApplicationSpec => ({
  replicas: 0,
  start: 0,
  addresses: { number: `+${number}`, interfaces: [{ name: "", pools }], keep: false },
});

/** The addresses of one block in a scene. */
export interface OfBlock {
  readonly cidr: Cidr;
  /** The number of addresses that an application holds, from the first one on. */
  readonly held: number;
  /** The number of addresses after these that an instance of the application has. */
  readonly inUse?: number;
  /** The number of addresses after these that somebody else has. */
  readonly others?: number;
}

/** Puts an application that lists these addresses, and its blocks. */
export function putHolding(
  items: LargeTable,
  pool: Pool,
  blocks: readonly OfBlock[],
): readonly string[] {
  const listed: ListedAddress[] = [];
  for (const { cidr, held, inUse = 0, others = 0 } of blocks) {
    const slots = new Map<number, Slot>(takenSlots(held + inUse + others));
    for (let ordinal = 0; ordinal < held; ordinal++)
      slots.set(ordinal, { kind: "held", token: someId(), applicationHash: applicationHash(WEB) });
    for (let ordinal = 0; ordinal < held + inUse; ordinal++)
      listed.push({
        address: addressAt(cidr, ordinal),
        interface: "",
        poolId: pool.id,
        blockSize: pool.blockSize,
        state: "in",
      });
    items.put(blockItem(pool, { cidr, slots }));
  }
  const application: Application = {
    ...WEB,
    ...specOf(listed.length, [pool.name]),
    space: pool.space,
    state: "active",
    targets: [{ interface: "", family: pool.cidr.family, poolIds: [pool.id] }],
    listed,
    ordinals: [],
    revision: someId(),
  };
  items.put(drafted((store) => store.createApplication(application)));
  return listed.map(({ address }) => formatAddress(address));
}
