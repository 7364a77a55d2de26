import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Block } from "../../../src/kernel/values/block.ts";
import {
  type BlockChange,
  type ClaimFields,
  changingHost,
  claimedBlock,
  type FreedSlots,
  type FullNote,
  fencing,
  freeingSlots,
  markingIdle,
  takingSlots,
} from "../../../src/kernel/values/block-changes.ts";
import type { HostId, HostReserved } from "../../../src/kernel/values/host.ts";
import { isReleased, type ReleasedSlot, type Slot } from "../../../src/kernel/values/slot.ts";
import { CONFLICT_QUARANTINE_SECONDS_MAX } from "../../../src/nouns/settings/settings.ts";
import { makeStore } from "../../../src/store/stack.ts";
import { InMemoryTable } from "../../../src/table/in-memory-table.ts";
import {
  affinityWith,
  anyHandleHash,
  anyToken,
  blockWith,
  NOW_MS,
  network,
  poolWith,
  taken,
} from "../../builders.ts";

type Store = ReturnType<typeof makeStore>;

/** Returns a slot of a token as a release leaves it: cooling, or unused without a time. */
const freedAt = (ordinal: number, token: string, sinceMs: number | undefined): FreedSlots =>
  new Map([[ordinal, sinceMs === undefined ? null : { kind: "cooling", token, sinceMs }]]);

/** Returns the block after a change of it, as the domain defines the change. */
function applied({ slots, ...block }: Block, { slots: changed, ...fields }: BlockChange): Block {
  const after = new Map(changed === null ? [] : slots);
  for (const [ordinal, slot] of changed ?? [])
    if (slot) after.set(ordinal, slot);
    else after.delete(ordinal);
  const stays = Object.entries({ ...block, ...fields }).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(stays), slots: after } as unknown as Block;
}

const CIDR = network("10.0.0.0/28");
const CAPACITY = 16;

const anyTime = fc.nat(2 ** 40);
const anyOrdinal = fc.nat(CAPACITY - 1);
const anyOrdinals = fc.uniqueArray(anyOrdinal, { minLength: 1 });
const anyHost = fc.constantFrom<HostId>("host:node-1", "host:node-2", "virtual:service");
const anyTaken = fc.record({
  kind: fc.constant("taken" as const),
  token: anyToken,
  handleHash: anyHandleHash,
});
const anyCooling = fc.record({
  kind: fc.constant("cooling" as const),
  token: anyToken,
  sinceMs: anyTime,
});
const anyQuarantined = fc.record({
  kind: fc.constant("quarantined" as const),
  token: anyToken,
  handleHash: anyHandleHash,
  sinceMs: anyTime,
  seconds: fc.nat(CONFLICT_QUARANTINE_SECONDS_MAX),
});
const anyReleased: fc.Arbitrary<ReleasedSlot> = fc.oneof(anyCooling, anyQuarantined);
const anySlot: fc.Arbitrary<Slot> = fc.oneof(anyTaken, anyReleased);
const anyHostReserved: fc.Arbitrary<HostReserved> = fc.record(
  { start: fc.nat(3), end: fc.nat(3), handle: fc.constant("windows"), note: fc.constant("") },
  { requiredKeys: ["start", "end"] },
);
const anyFields: fc.Arbitrary<ClaimFields> = fc.record(
  { epoch: anyToken, revision: anyToken, claimedAtMs: anyTime, hostReserved: anyHostReserved },
  { requiredKeys: ["epoch", "revision", "claimedAtMs"] },
);
const anyBlock: fc.Arbitrary<Block> = fc
  .tuple(
    fc.array(fc.tuple(anyOrdinal, anySlot)),
    fc.record(
      {
        host: anyHost,
        hostReserved: anyHostReserved,
        calledFull: fc.constant(true as const),
        idleSinceMs: anyTime,
      },
      { requiredKeys: [] },
    ),
  )
  .map(([slots, fields]) => {
    const { host: _, ...block } = blockWith(Object.fromEntries(slots), { cidr: CIDR });
    return { ...block, ...fields };
  });

/** A change of a block, and the write that makes it. */
interface Step {
  readonly change: BlockChange;
  write(store: Store, seen: Block): Promise<unknown>;
}

const anyStep = (block: Block): fc.Arbitrary<Step> => {
  const { space, cidr } = block;
  const taking = fc
    .record({
      ordinals: anyOrdinals,
      slot: anyTaken,
      revision: anyToken,
      left: fc.nat(3),
      isLeased: fc.boolean(),
    })
    .map(({ ordinals, slot, revision, left, isLeased }) => ({
      change: takingSlots([{ ordinals, taken: slot }], revision, {
        filling: { left, takenMax: 64 },
        leased: isLeased || undefined,
      }),
      write: (store: Store, seen: Block) => {
        const slots = ordinals.map((ordinal) => ({ ordinal, seen: seen.slots.get(ordinal) }));
        const filling = { left, takenMax: 64 };
        const leased = isLeased || undefined;
        return store.takeSlots(seen, [{ slots, taken: slot }], revision, { filling, leased });
      },
    }));
  const fencingIt = anyToken.map((epoch) => ({
    change: fencing(epoch),
    write: (store: Store) => store.fenceBlock("fence", space, cidr, epoch),
  }));
  const calling = fc
    .constantFrom<FullNote>({ calledFull: true }, { fullWith: 64 })
    .map((change) => ({
      change,
      write: (store: Store, seen: Block) => store.noteFull(seen, change),
    }));
  const changing = fc
    .record({ host: fc.option(anyHost, { nil: undefined }), fields: anyFields })
    .map(({ host, fields }) => ({
      change: changingHost(host, fields),
      write: (store: Store, seen: Block) => store.changeHost("seize", seen, host, fields),
    }));
  const marking = fc.record({ nowMs: anyTime, revision: anyToken }).map(({ nowMs, revision }) => ({
    change: markingIdle(nowMs, revision),
    write: (store: Store, seen: Block) => store.markIdle(seen, nowMs, revision),
  }));
  const slots = [...block.slots].flatMap(([ordinal, slot]) =>
    slot.kind === "taken" ? [{ ordinal, slot }] : [],
  );
  const freeing = slots.map(({ ordinal, slot }) =>
    fc
      .record({ sinceMs: fc.option(anyTime, { nil: undefined }), revision: anyToken })
      .map(({ sinceMs, revision }) => ({
        change: freeingSlots(freedAt(ordinal, slot.token, sinceMs), revision),
        write: (store: Store) =>
          store.freeSlots(
            block,
            [{ taken: slot, freed: freedAt(ordinal, slot.token, sinceMs) }],
            revision,
          ),
      })),
  );
  const replacing = [...block.slots].flatMap(([ordinal, seen]) =>
    isReleased(seen)
      ? [
          fc.record({ next: anyReleased, revision: anyToken }).map(({ next, revision }) => ({
            change: freeingSlots(new Map([[ordinal, next]]), revision),
            write: (store: Store) =>
              store.replaceReleased("quarantine", block, { ordinal, seen, next }, revision),
          })),
        ]
      : [],
  );
  return fc.oneof(taking, fencingIt, calling, changing, marking, ...freeing, ...replacing);
};

it("every write of a block makes the change that the domain means, and no other", async () => {
  const cases = anyBlock.chain((block) => anyStep(block).map((step) => ({ block, step })));
  await fc.assert(
    fc.asyncProperty(cases, async ({ block, step }) => {
      const store = makeStore(new InMemoryTable());
      await store.createBlock(block);
      const meant = applied(block, step.change);
      expect(await step.write(store, block)).toEqual({ outcome: "done", item: meant });
      expect(await store.readBlock(block.space, block.cidr)).toEqual(meant);
    }),
  );
});

it("a claimed block is empty, and keeps for its host what the claim says", async () => {
  const fields = {
    epoch: "epoch",
    revision: "revision",
    claimedAtMs: NOW_MS,
    hostReserved: { start: 3, end: 1 },
  };
  const block = claimedBlock(affinityWith({ block: CIDR }), poolWith(), fields);
  expect(block).toEqual(blockWith({}, { cidr: CIDR, hostReserved: fields.hostReserved }));
});

describe("a change of a block", () => {
  const block = blockWith({}, { cidr: CIDR });
  const fields = { epoch: "next", revision: "next", claimedAtMs: NOW_MS };

  it.each<readonly [string, (store: Store) => Promise<unknown>]>([
    ["no epoch", (store) => store.fenceBlock("fence", block.space, CIDR, "")],
    ["no epoch", (store) => store.changeHost("seize", block, "host:n", { ...fields, epoch: "" })],
    ["no revision", (store) => store.markIdle(block, NOW_MS, "")],
    [
      "no revision",
      (store) =>
        store.takeSlots(block, [{ slots: [{ ordinal: 0, seen: undefined }], taken: taken() }], ""),
    ],
    ["no whole number", (store) => store.markIdle(block, Number.NaN, "next")],
    [
      "no tag",
      (store) =>
        store.takeSlots(
          block,
          [
            {
              slots: [{ ordinal: 0, seen: undefined }],
              taken: { kind: "taken", token: "", handleHash: "00".repeat(8) },
            },
          ],
          "next",
        ),
    ],
  ])("with %s reaches no table", async (problem, write) => {
    const table = new InMemoryTable();
    const store = makeStore(table);
    await store.createBlock(block);
    const before = table.items();
    await expect(write(store)).rejects.toThrow(problem);
    expect(table.items()).toEqual(before);
  });
});
