import { instancePlace } from "../api/http/instance-place.ts";
import { groupedBy } from "../base/grouped-by.ts";
import { Rejection } from "../base/outcome.ts";
import { assign } from "../kernel/assign/assign.ts";
import { configurationOf } from "../kernel/core/configuration.ts";
import type { Context } from "../kernel/core/context.ts";
import { withCalls } from "../kernel/core/store.ts";
import { releaseAddress } from "../kernel/release/release-address.ts";
import { releaseHandle } from "../kernel/release/release-handle.ts";
import { fresh } from "../kernel/values/fresh.ts";
import type { HostId } from "../kernel/values/host.ts";
import { type Address, FAMILIES, type Family, formatAddress } from "../net/address.ts";
import { POD_UID } from "../nouns/address/attachment.ts";
import { type AddressRead, readAddress } from "../nouns/address/operations/read-address.ts";
import { isWorkloadHandle, type Workload, workloadHandle } from "../nouns/application/workload.ts";
import { poolNamed, type SpaceConfiguration } from "../nouns/pool/configuration.ts";
import type { Pool } from "../nouns/pool/pool.ts";

/** An address that its owner uses, as an inventory has it. */
export interface Living {
  readonly space: string;
  readonly address: Address;
  readonly handle: string;
  readonly host: HostId;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The result of an adoption. */
export interface Adopted {
  /** Addresses that the table did not know as assigned to their handle, or that an instance had under an earlier uid. */
  readonly adopted: number;
  /** Addresses that another handle had or kept in the table: they were released after the backup, and assigned anew. */
  readonly reassigned: number;
  /** Sentences about addresses that could not be adopted. */
  readonly rejected: readonly string[];
}

/**
 * Assigns the addresses of an inventory to their handles. What lives is a fact: no condition of a pool counts, and neither does strict
 * affinity, a quota nor the register of hosts. The inventory is later than the table, so an address that another handle has there, or keeps, is
 * released first. Addresses that the inventory lacks stay as they are, but for those of an
 * instance that has others now: it has one allocation (I14).
 */
export async function adopt(
  { store, ...rest }: Context,
  living: readonly Living[],
): Promise<Adopted> {
  const readSpace = async (space: string) => withoutConditions(await store.readSpace(space));
  const context: Context = { ...rest, store: withCalls(store, { readSpace }) };
  const done = { adopted: 0, reassigned: 0 };
  const rejected: string[] = [];
  const single = living.filter(({ handle }) => !isWorkloadHandle(handle)).map((one) => [one]);
  const ofInstances = living.filter(({ handle }) => isWorkloadHandle(handle));
  const instances = groupedBy(ofInstances, ({ space, handle }) => JSON.stringify([space, handle]));
  // One after another, because the claims of one host take places in one list.
  for (const own of [...single, ...instances.values()]) {
    const why = await adoptTogether(context, own, done);
    const addresses = own.map(({ address }) => formatAddress(address)).join(", ");
    if (why !== undefined) rejected.push(`${addresses} (${own[0]?.handle}): ${why}`);
  }
  return { ...done, rejected };
}

const CONDITIONS = [
  "nodeSelector",
  "namespaceSelector",
  "podSelector",
  "nodeNames",
  "namespaceNames",
  "networks",
  "principals",
] as const;

/** Returns a configuration whose pools serve everybody. */
function withoutConditions(configuration: SpaceConfiguration): SpaceConfiguration {
  const pools = configuration.pools.map((pool): Pool => {
    const open: { -readonly [Field in keyof Pool]: Pool[Field] } = { ...pool, disabled: false };
    for (const condition of CONDITIONS) delete open[condition];
    const { assignmentMode: mode } = pool;
    return {
      ...open,
      borrowing: "allowed",
      assignmentMode: mode === "Applications" ? "Manual" : mode,
    };
  });
  return Object.create(configuration, {
    pools: { value: pools },
    // The repair run charges what it finds.
    quotas: { value: [] },
    settings: {
      get: () => ({
        ...configuration.settings,
        strictAffinity: false,
        requireRegisteredHosts: false,
      }),
    },
  });
}

/** Adopts addresses of one handle by one request. @returns the reason if it could not */
async function adoptTogether(
  context: Context,
  own: readonly Living[],
  done: { adopted: number; reassigned: number },
): Promise<string | undefined> {
  const [first] = own;
  if (!first) return undefined;
  const { space, handle, host, attributes } = first;
  const workload = workloadIn(context, first);
  if (isWorkloadHandle(handle) && !workload)
    return "The handle must be workload/NAMESPACE/KIND/NAME/INSTANCE, or begin otherwise.";
  const missing: Living[] = [];
  const earlier: AddressRead[] = [];
  for (const one of own) {
    const found = await readAddress(context, space, one.address);
    if (found instanceof Rejection) return found.detail;
    const isOwn = hasOwner(found) && found.handle === handle;
    if (isOwn && (!workload || isCurrent(found, attributes))) continue;
    missing.push(one);
    if (isOwn) earlier.push(found);
    if (isOwn || !hasOwner(found)) continue;
    await releaseAddress(context, space, { address: one.address, handle: found.handle });
    done.reassigned++;
  }
  if (missing.length === 0) return undefined;
  const addresses = own.map(({ address }) => address);
  const [{ assignedBy, interface: name } = {} as Partial<AddressRead>] = earlier;
  const request = {
    space,
    host,
    wanted: FAMILIES.map((family) => ({ family, count: countOf(addresses, family) })).filter(
      ({ count }) => count > 0,
    ),
    handle,
    ...(workload && {
      workload,
      namespace: workload.namespace,
      keyId: instancePlace(space, workload).id,
    }),
    attributes,
    ...(assignedBy !== undefined && { assignedBy }),
    pools: [],
    digest: handle,
  };
  const named = {
    ...request,
    addresses,
    ...(name !== undefined && {
      interfaces: [{ name, pools: [] }],
      wanted: request.wanted.map((each) => ({ ...each, interface: name })),
    }),
  };
  if (earlier.length === own.length) {
    // The kernel ends what it cannot return. In these cases the instance keeps what it uses, under its earlier uid.
    const configuration = await configurationOf(context, space);
    const isServed = ({ pool }: AddressRead) => poolNamed(configuration, pool)?.state === "active";
    if (!earlier.every((one) => one.interface === name && isServed(one))) return undefined;
    // They return to the instance without a release.
    const returned = await assign(context, named);
    if (!(returned instanceof Rejection)) done.adopted += missing.length;
    // After `already_released` the table has a uid that is later than that of the inventory.
    if (!(returned instanceof Rejection) || returned.code === "already_released") return undefined;
  }
  // What an instance had before would count as what it asks for.
  if (workload) await releaseHandle(context, space, handle);
  // Its owner uses it, so its cooldown does not bind.
  const stated = addresses.map((address) => ({ address, isUsed: true }));
  const isHeld = workload && (await anyIsHeld(context, space, addresses));
  const assigned = await assign(context, isHeld ? named : { ...request, stated });
  if (assigned instanceof Rejection) return assigned.detail;
  done.adopted += missing.length;
  return undefined;
}

/** Returns true if a handle has the address, or keeps it. */
const hasOwner = (found: AddressRead): found is AddressRead & { readonly handle: string } =>
  (found.state === "assigned" || found.state === "kept") && found.handle !== undefined;

/** Returns true if an instance has an address under the uid that its attributes in the inventory state, or if they state none. */
function isCurrent(
  { state, workload, attributes: known = {} }: AddressRead,
  attributes: Living["attributes"],
): boolean {
  const uid = uidIn(attributes);
  // A request may have named another uid than its attributes.
  const isSame = uid === undefined || uid === workload?.uid || uid === uidIn(known);
  return state === "assigned" && isSame;
}

const countOf = (addresses: readonly Address[], of: Family): number =>
  addresses.filter(({ family }) => family === of).length;

/** Returns true if one of the addresses is held for an application, which only a request that names it gets. */
async function anyIsHeld(
  context: Context,
  space: string,
  addresses: readonly Address[],
): Promise<boolean> {
  for (const address of addresses) {
    const found = await readAddress(context, space, address);
    if (!(found instanceof Rejection) && found.state === "held") return true;
  }
  return false;
}

/**
 * Returns the instance that has an address by its handle. Its uid is that by which `plat-cni` will release it: the container,
 * or the pod. An unknown uid is a new one.
 */
function workloadIn(context: Context, { handle, attributes }: Living): Workload | undefined {
  const [, namespace = "", kind = "", name = "", instance = ""] = handle.split("/");
  const uid = uidIn(attributes) ?? fresh(context);
  const workload = { namespace, kind, name, instance, uid };
  const isWhole = [namespace, kind, name, instance].every((part) => part !== "");
  return isWhole && workloadHandle(workload) === handle ? workload : undefined;
}

const uidIn = (attributes: Living["attributes"]): string | undefined =>
  attributes.containerId || attributes[POD_UID] || undefined;
