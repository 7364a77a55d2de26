import { FAMILIES, type Family } from "../../net/address.ts";
import { type CiliumAddresses, familyOf } from "./addresses.ts";
import type { CiliumObject } from "./object.ts";
import type { CiliumEntry, CiliumMemory } from "./report.ts";
import { excessOf, watermarksOf } from "./watermarks.ts";

/** The words of `status.ipam.release-ips`. The first and the last are the operator's, the others the agent's. */
const MARKED = "marked-for-release";
const READY = "ready-for-release";
const REFUSED = "do-not-release";
const RELEASED = "released";

/** The addresses of a node of mode `crd`, before their marks are settled. */
interface Unsettled {
  readonly object: CiliumObject;
  readonly earlier: CiliumMemory;
  /** The entries, in the order of their addresses. */
  readonly entries: readonly CiliumEntry[];
  readonly held: ReadonlySet<string>;
  /** Absent if no excess is released. */
  readonly releaseAfterSeconds?: number;
  readonly nowMs: number;
}

/**
 * Settles the marks of addresses in excess: drops those that the agent refuses or that are in use, and those beyond the excess. It
 * releases those that the agent is ready to release, and marks as many others as have been in excess for long enough.
 */
export function settleMarks(unsettled: Unsettled, seen: CiliumAddresses): CiliumMemory {
  const settled = FAMILIES.map((family) => settleFamily(unsettled, seen, family));
  const states = new Map(settled.flatMap(({ states: own }) => [...own]));
  const lasting = settled.filter(({ timesMs }) => timesMs.length > 0);
  return {
    entries: unsettled.entries.map((entry) => {
      // A mark that is not settled anew is dropped.
      const state = states.get(entry.text) ?? (entry.state === "marked" ? "listed" : entry.state);
      return { ...entry, state };
    }),
    excessSinceMs: Object.fromEntries(
      lasting.flatMap(({ family, timesMs: [sinceMs] }) => [[family, sinceMs]]),
    ),
    ...(lasting.length > 0 && {
      excessTimesMs: Object.fromEntries(lasting.map(({ family, timesMs }) => [family, timesMs])),
    }),
  };
}

/** Returns `status.ipam.release-ips` of an answer. */
export const releaseIpsOf = ({ entries }: CiliumMemory): Readonly<Record<string, string>> =>
  Object.fromEntries(
    entries.flatMap(({ text, state }) => {
      if (state === "released") return [[text, RELEASED]];
      return state === "marked" ? [[text, MARKED]] : [];
    }),
  );

/** Returns the addresses of a family that a node may use: what it holds, without what is withdrawn or gone. */
export function availableOf(
  { entries }: Pick<CiliumMemory, "entries">,
  held: Iterable<string>,
  family: Family,
): readonly string[] {
  const out = new Set(entries.filter(isOut).map(({ text }) => text));
  return [...held].filter((text) => familyOf(text) === family && !out.has(text));
}

const isOut = ({ state }: CiliumEntry): boolean => state !== "listed" && state !== "marked";

interface SettledFamily {
  readonly family: Family;
  /** The new states of addresses that are marked, or released. */
  readonly states: ReadonlyMap<string, CiliumEntry["state"]>;
  /** The times since which each address of the excess has been too many, the earliest first. */
  readonly timesMs: readonly number[];
}

function settleFamily(
  { object, earlier, entries, held, releaseAfterSeconds, nowMs }: Unsettled,
  { pool, used, releaseIps }: CiliumAddresses,
  family: Family,
): SettledFamily {
  const available = availableOf({ entries }, held, family);
  const inUse = available.filter((text) => used.has(text)).length;
  const stock = { available: available.length, used: inUse };
  const excess = excessOf(watermarksOf(object.ipam), stock);
  if (releaseAfterSeconds === undefined || excess === 0)
    return { family, states: new Map(), timesMs: [] };
  const own = entries.filter(({ text, isHeld }) => isHeld && familyOf(text) === family);
  const marked = textsIn(own, "marked");
  const isRefused = (text: string) => releaseIps.get(text) === REFUSED;
  const before = marked.some(isRefused) ? [] : timesBefore(earlier, family);
  const timesMs = Array.from({ length: excess }, (_, n) => before[n] ?? nowMs);
  const open = marked.filter((text) => !isRefused(text) && !used.has(text));
  const ready = open.filter((text) => releaseIps.get(text) === READY).slice(0, excess);
  const waiting = open
    .filter((text) => releaseIps.get(text) !== READY)
    .slice(0, excess - ready.length);
  const due = timesMs.filter((sinceMs) => nowMs - sinceMs >= 1000 * releaseAfterSeconds).length;
  // A word that is there before the mark would be taken for the agent's answer to it.
  const isFree = (text: string) => pool.has(text) && !used.has(text) && !releaseIps.has(text);
  const others = textsIn(own, "listed").filter(isFree);
  const more = Math.max(due - ready.length - waiting.length, 0);
  const asked = [...waiting, ...others.slice(0, more)];
  return {
    family,
    // Those that are released have been too many for the longest time.
    timesMs: timesMs.slice(ready.length),
    states: new Map([
      ...ready.map((text) => [text, "released"] as const),
      ...asked.map((text) => [text, "marked"] as const),
    ]),
  };
}

/** Returns the times of an earlier excess. Of a version that kept its start alone, one address has been too many since then. */
function timesBefore(
  { excessTimesMs, excessSinceMs }: CiliumMemory,
  family: Family,
): readonly number[] {
  const sinceMs = excessSinceMs[family];
  return excessTimesMs?.[family] ?? (sinceMs === undefined ? [] : [sinceMs]);
}

const textsIn = (entries: readonly CiliumEntry[], wanted: CiliumEntry["state"]) =>
  entries.flatMap(({ text, state }) => (state === wanted ? [text] : []));
