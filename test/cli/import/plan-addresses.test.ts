import { expect, it } from "vitest";
import type { CurrentState } from "../../../src/cli/import/current.ts";
import { planAddresses } from "../../../src/cli/import/plan-addresses.ts";
import { address, network } from "../../builders.ts";

const BLOCK = "10.0.0.0/28";
const UNTIL = "2026-01-01T00:00:00Z";
const POOLS = [{ name: "main", cidr: network("10.0.0.0/24"), blockSize: 28 }] as never;
const DESIRED = {
  addresses: [{ address: address("10.0.0.1"), host: "host:win-1", handle: "a", where: "line 1" }],
} as never;

/** Returns the problem of 10.0.0.1 in a block of win-1 that keeps so many addresses at its start. */
function problemIn(start: number, there: object): string | undefined {
  const current = {
    blocks: new Map([[BLOCK, { host: "win-1", hostReservation: { start, end: 0 } }]]),
    addresses: new Map([["10.0.0.1", { address: "10.0.0.1", ...there }]]),
    applications: new Map(),
  } as unknown as CurrentState;
  const whose = new Map([[BLOCK, "host:win-1"]]);
  const blocks = { whose, reserving: new Map() } as never;
  return planAddresses(DESIRED, current, POOLS, blocks).conflicts[0]?.problem;
}

it.each([
  [{ state: "cooling", availableAt: UNTIL }, `was released in Plat, and cools until ${UNTIL}`],
  [
    { state: "quarantined", quarantinedUntil: UNTIL },
    `was reported as a conflict in Plat, and is in quarantine until ${UNTIL}`,
  ],
])(
  "the conflict of an address with %j names its host if that keeps it for itself",
  (there, time) => {
    const kept = "is kept by host win-1 for itself in block 10.0.0.0/28";
    expect(problemIn(1, there)).toBe(`(line 1) ${time}`);
    expect(problemIn(2, there)).toBe(`(line 1) ${kept}`);
  },
);
