import type { Rejection } from "../../../base/outcome.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { Family } from "../../../net/address.ts";
import type { Cidr } from "../../../net/cidr.ts";
import type { NodeReport } from "../../node/node-report.ts";
import type { CiliumIpam, CiliumObject, CiliumOptions } from "../object.ts";
import type { CiliumMemory, CiliumReport } from "../report.ts";

/** A CiliumNode of one uid, as a request shows it. */
export interface CiliumRequest extends CiliumOptions {
  readonly space: string;
  readonly node: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly object: CiliumObject;
  readonly assignedBy?: string;
}

/** The answer of a mode: the fields of the CiliumNode that are Plat's. */
export interface CiliumGrant {
  /** The fields of `spec.ipam` that the mode sets, in place of those of the object. */
  readonly ipam: Pick<CiliumIpam, "podCIDRs" | "pool" | "pools">;
  /** `status.ipam.release-ips`, in mode `crd`. */
  readonly releaseIps?: Readonly<Record<string, string>>;
  /** The addresses of the node itself that the Node's annotations have, in mode `kubernetes`. */
  readonly addresses?: readonly { readonly type: "CiliumInternalIP"; readonly ip: string }[];
  readonly health?: { readonly ipv4?: string; readonly ipv6?: string };
  /** The addresses and prefixes that this request newly took, as text. A dry run took it for nobody, so its answer leaves it out. */
  readonly taken: readonly string[];
  /** Sentences that name node, pool and family, for what could not be granted. */
  readonly errors: readonly string[];
}

/** The state of a node before a mode decides. It was read after what the node has. */
export interface CiliumKnown {
  readonly report: CiliumReport | undefined;
  readonly node: NodeReport | undefined;
  /** The families that pools serve. */
  readonly served: readonly Family[];
}

/**
 * One of Cilium's modes. The walk of a PUT reads what the node has, then the reports. It frees what an earlier PUT decided to free, or
 * else decides, writes the report, and carries the decision out.
 */
export interface Mode<Held, Decision> {
  /** The kind of pools that serve the mode. */
  readonly gives: "addresses" | "prefixes" | "nothing";
  /** Returns what the uid has by this mode. Later reads can show less, and never another owner. */
  held(
    context: Context,
    request: CiliumRequest,
    report: CiliumReport | undefined,
  ): Promise<Held | Rejection>;
  /** True if the uid has anything by this mode. */
  hasAny(held: Held): boolean;
  /** Frees what the report says was released or given back, and is still held. Returns true if there was any: then all is read again. */
  finish(
    context: Context,
    request: CiliumRequest,
    report: CiliumReport,
    held: Held,
  ): Promise<boolean>;
  /** Returns the networks that the object lists as those of the node; nothing if the mode has none. */
  stated?(request: CiliumRequest): readonly Cidr[];
  /** Decides, as a pure function. What it frees is already `released` or `givenBack` in the memory. */
  decide(
    request: CiliumRequest,
    known: CiliumKnown,
    held: Held,
    nowMs: number,
  ): Decision & CiliumMemory;
  /**
   * Gives back, takes and ensures. Returns `request_in_progress` as a rejection, and any other one as a sentence of the grant.
   *
   * @returns nothing if it only gave back, and all must be read again before the node gets something
   */
  carryOut(
    context: Context,
    request: CiliumRequest,
    decision: Decision,
    held: Held,
  ): Promise<CiliumGrant | Rejection | undefined>;
  /** Releases all that the uid has by this mode. Returns it as text. */
  release(
    context: Context,
    report: CiliumReport,
  ): Promise<{ readonly released: readonly string[]; readonly complete: boolean }>;
}
