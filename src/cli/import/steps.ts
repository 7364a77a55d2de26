import { formatAddress } from "../../domain/address.ts";
import { type Cidr, formatCidr } from "../../domain/cidr.ts";
import type { HostId } from "../../domain/host.ts";
import type { HostReserved } from "../../domain/host-reserved.ts";
import type { Settings } from "./current.ts";
import type {
  Conflict,
  DesiredAddress,
  DesiredLabels,
  DesiredReservation,
  PoolFields,
} from "./desired.ts";

/** The steps of a plan. */

export type Verb = "create" | "change";

/** A pool that is to become so. */
export interface PoolStep {
  readonly name: string;
  /** Absent: it is so, and only serves while it is filled. */
  readonly verb?: Verb;
  readonly fields: PoolFields;
  /** The pool during the import: it serves only requests that name an address. */
  readonly opened?: PoolFields;
}

export interface SettingsStep {
  readonly verb?: Verb;
  readonly settings: Settings;
  /** The settings during the import. */
  readonly opened?: Settings;
}

/** A block that is to become a host's. */
export interface ClaimStep {
  readonly cidr: string;
  readonly host: HostId;
  /** The block's host-reserved addresses, which come with the first address that is assigned in it. */
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
  readonly hostReserved?: HostReserved;
}

/** The owner that is about to have an address that stands already. */
export interface OwnerStep {
  readonly address: string;
  readonly handle: string;
  readonly alternate: Readonly<Record<string, string>>;
}

/** A block that has no owner at the end; this owner has it until its addresses are assigned. */
export interface DisownStep {
  readonly cidr: string;
  readonly host: HostId;
}

export interface Counts {
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
  readonly claims: readonly ClaimStep[];
  readonly assigns: readonly AssignStep[];
  readonly owners: readonly OwnerStep[];
  readonly disowns: readonly DisownStep[];
  /** Temporary addresses that an interrupted run did not release. */
  readonly leftovers: readonly { readonly address: string; readonly handle: string }[];
  readonly conflicts: readonly Conflict[];
  readonly notes: readonly string[];
  readonly counts: Readonly<Record<string, Counts>>;
}

/** The steps that need serving pools. */
export type Filling = Pick<Plan, "claims" | "assigns">;

export const assignStepOf = (
  block: Cidr,
  { address, handle, host, attributes, alternate }: DesiredAddress,
): AssignStep => ({
  block: formatCidr(block),
  address: formatAddress(address),
  handle,
  host,
  attributes,
  ...(alternate && { alternate }),
});
