import * as v from "valibot";
import { attributes } from "../../api/schema/attributes.ts";
import { newNode } from "../../api/schema/field.ts";
import { newCallerHandle } from "../../api/schema/handle.ts";
import { orProblem, Problem } from "../../api/schema/problem.ts";
import { checked } from "../../api/schema/schema.ts";
import { type HostId, type HostReserved, hostName } from "../../kernel/values/host.ts";
import { type Address, formatAddress } from "../../net/address.ts";
import { type Cidr, formatCidr } from "../../net/cidr.ts";
import type { Workload } from "../../nouns/application/workload.ts";

/** The desired state of an import, whatever its source. */
export interface Desired {
  readonly pools: readonly DesiredPool[];
  readonly reservations: readonly DesiredReservation[];
  readonly labelled: readonly DesiredLabels[];
  /** Settings to change; the others stay. */
  readonly settings?: DesiredSettings;
  /** The names of the reservations that only this import makes. They reserve what it leaves out, and nothing that it assigns. */
  readonly ownReservation?: RegExp;
  /** Absent in most sources. */
  readonly applications?: readonly DesiredApplication[];
  readonly blocks: readonly DesiredBlock[];
  readonly addresses: readonly DesiredAddress[];
  /** Contradictions in the source. */
  readonly conflicts: readonly Conflict[];
  /** Omitted objects with the reason, one sentence each. */
  readonly notes: readonly string[];
}

/** Returns true if it has nothing to import and no conflict. */
export const importsNothing = ({
  notes: _,
  ownReservation: __,
  settings,
  ...lists
}: Desired): boolean => !settings && Object.values(lists).every((list) => list.length === 0);

/** A pool in the form of `PUT /v1/pools/{name}`. */
export interface DesiredPool {
  readonly name: string;
  readonly cidr: Cidr;
  readonly blockSize: number;
  readonly fields: PoolFields;
  /** The fields that the source has no word for; by default those that no IPPool of Calico has. An existing pool keeps them. */
  readonly unsaid?: readonly string[];
}

export interface PoolFields {
  readonly cidr: string;
  readonly blockSize: number;
  readonly disabled: boolean;
  readonly assignmentMode: unknown;
  readonly allowedUses?: unknown;
  readonly nodeSelector?: unknown;
  readonly namespaceSelector?: unknown;
  readonly routing?: Readonly<Record<string, unknown>> | undefined;
  readonly ranges?: readonly string[] | undefined;
  readonly excludes?: readonly string[] | undefined;
}

/** An application in the form of `PUT /v1/applications/{namespace}/{kind}/{name}`. */
export interface DesiredApplication {
  /** Such as `shop/Deployment/web`. */
  readonly name: string;
  /** The names of its pools. */
  readonly pools: readonly string[];
  readonly fields: {
    readonly replicas: number;
    readonly start: number;
    /** The pools of its only interface, or those of each. */
    readonly addresses: {
      readonly number: string;
      readonly keep: boolean;
      readonly pools?: readonly string[];
      readonly interfaces?: readonly { readonly name: string; readonly pools: readonly string[] }[];
    };
  };
}

export interface DesiredReservation {
  readonly name: string;
  readonly cidrs: readonly string[];
}

export interface DesiredLabels {
  readonly kind: "nodes" | "namespaces";
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface DesiredSettings {
  readonly strictAffinity?: boolean;
  readonly autoAllocateBlocks?: boolean;
  readonly maxBlocksPerHost?: number | null;
  readonly cooldownSeconds?: number;
}

export interface DesiredBlock {
  readonly cidr: Cidr;
  /** Absent for a block without an owner. */
  readonly owner?: HostId;
  /** True if an existing block may also belong to another owner. */
  readonly orAnyones?: true;
  readonly hostReserved?: HostReserved;
  /** True for a block of a pool with ranges: no host owns it, and the import only reads it. */
  readonly isShared?: true;
}

export interface DesiredAddress {
  readonly address: Address;
  readonly handle: string;
  readonly host: HostId;
  readonly attributes: Readonly<Record<string, string>>;
  /** The alternate owner, which an address gets during a migration. */
  readonly alternate?: Readonly<Record<string, string>>;
  /** The instance that has the address. Then the handle is that of the instance. */
  readonly workload?: Workload;
  /** The place in the source. */
  readonly where: string;
}

/** A reason why nothing can be imported before an operator decides. */
export interface Conflict {
  readonly kind:
    | "pool"
    | "reservation"
    | "configuration"
    | "labels"
    | "application"
    | "block"
    | "address"
    | "handle"
    | "affinity";
  /** The name of the object. */
  readonly name: string;
  /** Continues a sentence that begins with the name: "belongs to …". */
  readonly problem: string;
}

/** Returns the errors that Plat would report for an address, independent of its current state. */
export function addressConflicts(desired: DesiredAddress): readonly Conflict[] {
  const name = formatAddress(desired.address);
  const checks = [
    ...(desired.workload ? [] : [["a handle", { handle: newCallerHandle }, desired] as const]),
    ["a host", { host: newNode }, { host: hostName(desired.host) }],
    ["attributes", { attributes }, desired],
    ["an alternate owner", { alternate: attributes }, { alternate: desired.alternate ?? {} }],
  ] as const;
  return checks.flatMap(([what, entries, value]): Conflict[] => {
    const problem = orProblem(() => checked(v.object<v.ObjectEntries>(entries), value));
    if (!(problem instanceof Problem)) return [];
    const told = `has ${what} that Plat does not take (${desired.where}): ${problem.detail}`;
    return [{ kind: "address", name, problem: told }];
  });
}

/** Returns the errors that Plat would report for the owner of a block. */
export function ownerConflicts({ cidr, owner }: DesiredBlock): readonly Conflict[] {
  if (owner === undefined || v.is(newNode, hostName(owner))) return [];
  const problem = `has an owner whose name Plat does not take: ${JSON.stringify(hostName(owner))}`;
  return [{ kind: "block", name: formatCidr(cidr), problem }];
}
