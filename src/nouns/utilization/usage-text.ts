import type { Usage } from "./usage.ts";

/** Returns the counts of a usage as a short text of numbers. Inverse of `usageFrom`. */
export const usageText = (usage: Usage): string =>
  [
    usage.capacity,
    usage.inUse,
    usage.hostReserved,
    usage.reserved,
    usage.cooling,
    usage.available,
  ].join(" ");

/** Reads the counts of a usage. @throws {Error} if the text is not six whole numbers */
export function usageFrom(text: string): Usage {
  if (!/^\d+( \d+){5}$/.test(text)) throw new Error(`"${text}" is no usage`);
  const [
    capacity = 0n,
    inUse = 0n,
    hostReserved = 0n,
    reserved = 0n,
    cooling = 0n,
    available = 0n,
  ] = text.split(" ").map(BigInt);
  return { capacity, inUse, hostReserved, reserved, cooling, available };
}
