import { assertTexts, assertTimes } from "../../base/assertions.ts";
import { ciliumHandle, ciliumPoolHandle } from "../../kernel/values/handle.ts";
import type { Family } from "../../net/address.ts";
import type { NodeLife } from "../node/judge-node.ts";
import type { CiliumObject, CiliumOptions } from "./object.ts";

const CILIUM_ENTRY_STATES = ["listed", "withdrawn", "marked", "released", "givenBack"] as const;

/**
 * An address (mode `crd`) or a prefix (mode `multi-pool`) of a CiliumNode, as Plat remembers it.
 *
 * `listed`: an object showed it; `withdrawn`: listed once, and missing now; `marked`: Plat asked the agent whether it may go; `released`:
 * the agent agreed; `givenBack`: withdrawn, and decided to be freed. From `released` and `givenBack` on, the node has it no more.
 */
export interface CiliumEntry {
  /** The address, or the prefix, as canonical text. */
  readonly text: string;
  /** The pool of Cilium that it belongs to, in `multi-pool`. */
  readonly pool?: string;
  readonly state: (typeof CILIUM_ENTRY_STATES)[number];
  /** True if the uid held it when this was written. From then on it stays held until it is released or given back (I20). */
  readonly isHeld: boolean;
  /** The time since which `used` has lacked a withdrawn address; absent while it is used. */
  readonly unusedSinceMs?: number;
}

/** The memory of a CiliumNode beyond its object. */
export interface CiliumMemory {
  readonly entries: readonly CiliumEntry[];
  /** The time since which a family has had more addresses than it needs. */
  readonly excessSinceMs: Readonly<Partial<Record<Family, number>>>;
  /**
   * The times since which each address of such an excess has been too many, the earliest first. Versions before it kept the first of
   * them alone. They read it and drop it.
   */
  readonly excessTimesMs?: Readonly<Partial<Record<Family, readonly number[]>>>;
}

/** The last word of a cluster about a CiliumNode, of one uid. */
export interface CiliumReport extends CiliumOptions, CiliumMemory {
  readonly space: string;
  readonly name: string;
  readonly uid: string;
  /** The highest that was seen: a whole number as text. */
  readonly resourceVersion: string;
  readonly object: CiliumObject;
  /** The time of the last change of this report. */
  readonly seenAtMs: number;
  /** True from the start of a release of all that it has until the report is deleted. */
  readonly isEnding: boolean;
  readonly revision: string;
}

/** Returns the handles under which a CiliumNode can have something of its own, in any mode. */
export function handlesOf({ name, uid, entries, object }: CiliumReport): readonly string[] {
  const { requested = [], allocated = [] } = object.ipam.pools ?? {};
  const pools = [...entries, ...requested, ...allocated].flatMap(({ pool }) => pool ?? []);
  const ofPools = [...new Set(pools)].map((pool) => ciliumPoolHandle(name, uid, pool));
  return [ciliumHandle(name, uid), ...ofPools];
}

/** Checks that what is remembered has entries of known states. @throws {Error} */
export function assertCiliumMemory(memory: CiliumMemory): void {
  const { entries, excessSinceMs, excessTimesMs = {} } = memory;
  assertTimes(...Object.values(excessSinceMs), ...Object.values(excessTimesMs).flat());
  for (const { text, state, isHeld, unusedSinceMs } of entries) {
    assertTexts({ text });
    assertTimes(unusedSinceMs);
    if (!CILIUM_ENTRY_STATES.includes(state)) throw new Error(`${text} of it is ${state}`);
    if (typeof isHeld !== "boolean") throw new Error(`it does not say whether ${text} is held`);
  }
}

/** Checks that a report has its revision, and what tells it from reports of other objects. @throws {Error} */
export function assertCiliumReport(report: CiliumReport): void {
  const { space, name, uid, resourceVersion, revision, seenAtMs } = report;
  assertTexts({ space, name, uid, resourceVersion, revision });
  assertTimes(seenAtMs);
}

/** All that clusters say of one name: its Nodes, and its CiliumNodes of each uid. */
export interface NodeObjects extends NodeLife {
  readonly ciliumReports: readonly CiliumReport[];
}
