import type { StatedAddress } from "../../kernel/values/stated-address.ts";
import { compareAddresses } from "../../net/address.ts";
import { addressesByText, type CiliumAddresses, ciliumAddressesOf } from "./addresses.ts";
import { settleMarks } from "./marks.ts";
import type { CiliumObject, CiliumOptions } from "./object.ts";
import type { CiliumEntry, CiliumMemory } from "./report.ts";

/** A CiliumNode of mode `crd` as a PUT shows it, and what is known of it. */
export interface CrdStatement
  extends Pick<CiliumOptions, "releaseAfterSeconds" | "withdrawAfterSeconds"> {
  readonly object: CiliumObject;
  /** The memory of an earlier PUT. */
  readonly earlier: CiliumMemory;
  /** The addresses that the uid holds, as canonical texts. */
  readonly held: ReadonlySet<string>;
  readonly nowMs: number;
}

/** The changes of the addresses of a node in mode `crd`. */
export interface CrdDecision extends CiliumMemory {
  /** The addresses that the object names. */
  readonly seen: CiliumAddresses;
  /** The held addresses that are freed: those that are released, and those that are given back. */
  readonly free: readonly string[];
  /** The addresses that the node says it has. One that it agreed to release is among them only while it is in use. */
  readonly stated: readonly StatedAddress[];
}

/**
 * Decides about the addresses of a node in mode `crd`, from its object and from what an earlier PUT remembers. The same PUT again
 * decides the same. The handshake of a release is that of Cilium's operator and agent: pkg/ipam/node.go and pkg/ipam/crd.go.
 */
export function decideCrd(statement: CrdStatement): CrdDecision {
  const { object, held, earlier } = statement;
  const seen = ciliumAddressesOf(object);
  const stated = addressesByText(new Set([...seen.pool.keys(), ...seen.used.keys()]));
  const known = new Map([...stated, ...addressesByText(earlier.entries.map(({ text }) => text))]);
  const before = new Map(earlier.entries.map((entry) => [entry.text, entry]));
  const entries = [...known]
    .toSorted(([, a], [, b]) => compareAddresses(a, b))
    .flatMap(([text]) => entryOf(statement, seen, text, before.get(text)) ?? []);
  const memory = settleMarks({ ...statement, entries }, seen);
  const released = rememberedTexts(memory, "released");
  return {
    ...memory,
    seen,
    free: [...released, ...rememberedTexts(memory, "givenBack")].filter((text) => held.has(text)),
    stated: [...stated].flatMap(([text, address]) =>
      released.has(text) ? [] : [{ address, isUsed: seen.used.has(text) }],
    ),
  };
}

/** Returns the addresses that are remembered in one state. */
export const rememberedTexts = (
  { entries }: CiliumMemory,
  wanted: CiliumEntry["state"],
): ReadonlySet<string> =>
  new Set(entries.flatMap(({ text, state }) => (state === wanted ? [text] : [])));

/** Returns what is remembered of an address, before its mark is settled; nothing if it is forgotten, or was never listed. */
function entryOf(
  { held, nowMs, withdrawAfterSeconds }: CrdStatement,
  { pool, used, releaseIps }: CiliumAddresses,
  text: string,
  earlier: CiliumEntry | undefined,
): CiliumEntry | undefined {
  const isHeld = held.has(text);
  const isListed = pool.has(text);
  const isUsed = used.has(text);
  // A used address is the node's, also after its agent agreed to the release.
  if (earlier?.state === "released" && !isUsed)
    return isListed || releaseIps.has(text) ? { text, state: "released", isHeld } : undefined;
  if (isListed) return { text, state: earlier?.state === "marked" ? "marked" : "listed", isHeld };
  if (!earlier || !(isHeld || isUsed)) return undefined;
  const wasListed = earlier.state === "listed" || earlier.state === "marked";
  // An object without entries may be new, so that nobody has written its addresses yet.
  if (pool.size === 0 && wasListed) return { text, state: earlier.state, isHeld };
  if (isUsed) return { text, state: "withdrawn", isHeld };
  const unusedSinceMs = earlier.unusedSinceMs ?? nowMs;
  const isOver = pool.size > 0 && nowMs - unusedSinceMs >= 1000 * withdrawAfterSeconds;
  return isOver
    ? { text, state: "givenBack", isHeld }
    : { text, state: "withdrawn", isHeld, unusedSinceMs };
}
