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

/** Returns the kind of a change; nothing if there is none. */
export const verbOf = (stands: boolean, same: boolean): Verb | undefined =>
  stands ? (same ? undefined : "change") : "create";

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

/** A change of a reservation to its desired networks; the reservation goes if there are none. */
export interface ReservationStep extends DesiredReservation {
  /** Absent if the reservation has its final networks already, and is only opened for the import. */
  readonly verb?: Verb;
  /** The networks during the import: without the addresses that applications hold for their instances. */
  readonly opened?: readonly string[];
}

/** A change of an application to its desired fields. */
export interface ApplicationStep extends DesiredApplication {
  /** Absent if the application has its final fields already, and is only opened for the import. */
  readonly verb?: Verb;
  /** The fields during the import: with a number that includes every address that its instances get. */
  readonly opened?: DesiredApplication["fields"];
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
  readonly reservations: readonly ReservationStep[];
  readonly labelled: readonly (DesiredLabels & { readonly verb: Verb })[];
  readonly pools: readonly PoolStep[];
  readonly settings?: SettingsStep;
  readonly applications: readonly ApplicationStep[];
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
