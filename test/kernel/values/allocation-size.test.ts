import fc from "fast-check";
import { expect, it } from "vitest";
import { INTERFACE_CHARACTERS_MAX } from "../../../src/api/schema/field.ts";
import { type Allocation, allocationBytes } from "../../../src/kernel/values/allocation.ts";
import { formatAddress } from "../../../src/net/address.ts";
import { addressAt } from "../../../src/net/cidr.ts";
import { makeStore } from "../../../src/store/stack.ts";
import { InMemoryTable } from "../../../src/table/in-memory-table.ts";
import type { Item } from "../../../src/table/item.ts";
import { allocationWith, network, token } from "../../builders.ts";
import { itemBytes } from "../../store/item-bytes.ts";

async function bytesInTable(allocation: Allocation): Promise<number> {
  const table = new InMemoryTable();
  await makeStore(table).createAllocation(allocation);
  return itemBytes(table.items()[0] as Item);
}

const anyAttributes = fc.dictionary(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
  { maxKeys: 5 },
);
const anyAllocation = fc
  .record({
    attributes: anyAttributes,
    assignedBy: fc.string({ unit: "grapheme", maxLength: 2_048 }),
    owners: fc.array(anyAttributes, { maxLength: 4 }),
    parts: fc.nat(30),
  })
  .map(({ attributes, assignedBy, owners, parts }) => {
    const block = network("2001:db8:1111:2222:3333:4444:5555:6600/120");
    const text = (n: number) => formatAddress(addressAt(block, n));
    return allocationWith({
      attributes,
      assignedBy,
      owners: new Map(owners.map((active, n) => [text(n), { active, alternate: active }])),
      parts: Array.from({ length: parts }, (_, n) => ({
        token: token(n),
        block: network(`${text(n)}/128`),
        count: 1,
        ordinals: [0],
        interface: "n".repeat(INTERFACE_CHARACTERS_MAX),
      })),
      want: parts,
      freedAtMs: Number.MAX_SAFE_INTEGER,
      released: new Set(Array.from({ length: parts }, (_, n) => text(n))),
      conflicts: new Set(Array.from({ length: parts }, (_, n) => text(n))),
      quotaSlots: Array.from({ length: parts }, (_, number) => ({
        family: 6,
        number,
        revision: token(number),
        address: text(number),
      })),
      reused: Array.from({ length: parts }, (_, n) => token(n)),
    });
  });

it("no item of an allocation is larger than it was counted, with all of its addresses freed", async () => {
  await fc.assert(
    fc.asyncProperty(anyAllocation, async (allocation) => {
      expect(await bytesInTable(allocation)).toBeLessThanOrEqual(allocationBytes(allocation));
    }),
  );
});
