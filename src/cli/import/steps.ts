import type { HostId, HostReserved } from "../../kernel/values/host.ts";
import { formatAddress } from "../../net/address.ts";
import { type Cidr, formatCidr } from "../../net/cidr.ts";
import type { Workload } from "../../nouns/application/workload.ts";
import type {
  Conflict,
  DesiredAddress,
  DesiredApplication,
  DesiredLabels,
  DesiredReservation,
  DesiredSettings,
  PoolFields,
} from "./desired.ts";

/** The steps of a plan. */

export type Verb = "create" | "change";

/** A change of a pool to its desired state. */
export interface PoolStep {
  readonly name: string;
  /** The kind of the change; absent if the pool has its final fields already, and is only opened for the import. */
  readonly verb?: Verb;
  readonly fields: PoolFields;
  /** The pool during the import: it serves only requests that name an address. */
  readonly opened?: PoolFields;
  /** The fields that the import leaves as they are. */
  readonly unsaid: readonly string[];
}

export interface SettingsStep {
  readonly verb?: Verb;
  /** The settings that change; the others stay. */
  readonly settings: DesiredSettings;
  /** Those that change during the import. */
  readonly opened?: DesiredSettings;
}

/** A claim of a block for a host. */
export interface ClaimStep {
  readonly cidr: string;
  readonly host: HostId;
  /**
   * The assign that makes the block its host's, for a source that knows no blocks. The limit of blocks for each host does not bind it, as
   * no request that names an address.
   */
  readonly by?: AssignStep;
  /** The host-reserved addresses of the block. The first address that is assigned in the block sets them. */
  readonly reserving?: {
    readonly hostReserved: HostReserved;
    /** The assign that creates the block. Its address is released immediately unless it is a desired one. */
    readonly first: AssignStep;
    readonly isTemporary: boolean;
  };
}

export interface AssignStep {
  readonly block: string;
  readonly address: string;
  readonly handle: string;
  readonly host: HostId;
  readonly attributes: Readonly<Record<string, string>>;
  readonly alternate?: Readonly<Record<string, string>>;
  readonly workload?: Workload;
  readonly hostReserved?: HostReserved;
}

/** The alternate owner to set on an existing address. */
export interface OwnerStep {
  readonly address: string;
  readonly handle: string;
  readonly alternate: Readonly<Record<string, string>>;
}

/** A block without an owner at the end. This owner has it until its addresses are assigned. */
export interface DisownStep {
  readonly cidr: string;
  readonly host: HostId;
}

export interface StepCounts {
  readonly create: number;
  readonly change: number;
  readonly unchanged: number;
  readonly conflicts: number;
}

/** All steps, in their order. */
export interface Plan {
  readonly reservations: readonly (DesiredReservation & { readonly verb: Verb })[];
  readonly labelled: readonly (DesiredLabels & { readonly verb: Verb })[];
  readonly pools: readonly PoolStep[];
  readonly settings?: SettingsStep;
  readonly applications: readonly (DesiredApplication & { readonly verb: Verb })[];
  readonly claims: readonly ClaimStep[];
  readonly assigns: readonly AssignStep[];
  readonly owners: readonly OwnerStep[];
  readonly disowns: readonly DisownStep[];
  /** Temporary addresses that an interrupted run did not release. */
  readonly leftovers: readonly { readonly address: string; readonly handle: string }[];
  readonly conflicts: readonly Conflict[];
  readonly notes: readonly string[];
  readonly counts: Readonly<Record<string, StepCounts>>;
}

/** The steps that need serving pools. */
export type FillingSteps = Pick<Plan, "claims" | "assigns">;

export const assignStepOf = (
  block: Cidr,
  { address, handle, host, attributes, alternate, workload }: DesiredAddress,
): AssignStep => ({
  block: formatCidr(block),
  address: formatAddress(address),
  handle,
  host,
  attributes,
  ...(alternate && { alternate }),
  ...(workload && { workload }),
});
