import { describe, expect, it } from "vitest";
import { SLOTS_PER_WRITE_MAX } from "../../../src/base/limits.ts";
import type { Outcome } from "../../../src/base/outcome.ts";
import { sharingSlotWrites } from "../../../src/kernel/batch/shared-writes.ts";
import type { Store } from "../../../src/kernel/core/store.ts";
import type { Block } from "../../../src/kernel/values/block.ts";
import type { TakeNotes } from "../../../src/kernel/values/block-changes.ts";
import type { SlotsToTake } from "../../../src/kernel/values/slot-writes.ts";
import { blockWith, taken } from "../../builders.ts";
import { cidrOf } from "../../world.ts";

const BLOCK = blockWith({}, { cidr: cidrOf("10.0.0.0/25") });
const OF_ANOTHER = taken(99);

const take = (...ordinals: readonly number[]): SlotsToTake => ({
  slots: ordinals.map((ordinal) => ({ ordinal, seen: undefined })),
  taken: taken(ordinals[0]),
});

/** Makes a store of one block, whose writes wait until a test answers them. */
function storeOf(gathered: () => Promise<void> | undefined = () => undefined) {
  const sent: (readonly number[])[] = [];
  const noted: TakeNotes[] = [];
  const answers: { give(outcome: Outcome<Block>): void; fail(error: Error): void }[] = [];
  const store = {
    takeSlots: (_: unknown, takes: readonly SlotsToTake[], __: string, notes: TakeNotes) => {
      noted.push(notes);
      sent.push(takes.flatMap(({ slots }) => slots.map(({ ordinal }) => ordinal)));
      return new Promise<Outcome<Block>>((give, fail) => answers.push({ give, fail }));
    },
  } as unknown as Store;
  const sharing = sharingSlotWrites(store, gathered);
  const ask = (...ordinals: readonly number[]) =>
    sharing.takeSlots(BLOCK, [take(...ordinals)], "revision");
  const askNoting = (notes: TakeNotes, ordinal: number) =>
    sharing.takeSlots(BLOCK, [take(ordinal)], "revision", notes);
  /** Asks for the first slot, and lets its write begin before any other. */
  const begin = async () => {
    const first = [ask(0)];
    await new Promise(setImmediate);
    return first;
  };
  /** Answers the write that is under way, and lets all continue that can. */
  const answer = async (outcome: Outcome<Block> | Error) => {
    await new Promise(setImmediate);
    const current = answers.shift();
    if (outcome instanceof Error) current?.fail(outcome);
    else current?.give(outcome);
    await new Promise(setImmediate);
  };
  return { sent, noted, ask, askNoting, begin, answer };
}

const DONE = { outcome: "done", item: BLOCK } as const;

describe("slot writes to one block", () => {
  it("share the next write while one is under way", async () => {
    const { sent, ask, begin, answer } = storeOf();
    const all = [...(await begin()), ask(1), ask(2)];
    await answer(DONE);
    await answer(DONE);
    expect(await Promise.all(all)).toEqual([DONE, DONE, DONE]);
    expect(sent).toEqual([[0], [1, 2]]);
  });

  it("carry the notes of all: of the one that saw the fewest left, and of a lease", async () => {
    const { noted, askNoting, begin, answer } = storeOf();
    const leased = { leased: true } as const;
    const all = [
      ...(await begin()),
      askNoting({ filling: { left: 9, takenMax: 64 } }, 1),
      askNoting({ filling: { left: 2, takenMax: 64 }, ...leased }, 2),
    ];
    await answer(DONE);
    await answer(DONE);
    await Promise.all(all);
    expect(noted[1]).toEqual({ filling: { left: 2, takenMax: 64 }, ...leased });
  });

  it("wait for those that are on the way", async () => {
    const way: { come?(): void } = {};
    const gathered = new Promise<void>((resolve) => {
      way.come = resolve;
    });
    let isAsked = false;
    const { sent, ask, answer } = storeOf(() => {
      if (isAsked) return undefined;
      isAsked = true;
      return gathered;
    });
    const first = ask(0);
    const second = ask(1);
    way.come?.();
    await answer(DONE);
    expect(await Promise.all([first, second])).toEqual([DONE, DONE]);
    expect(sent).toEqual([[0, 1]]);
  });

  it("are written again if another of them was the reason why a shared one is lost", async () => {
    const { sent, ask, begin, answer } = storeOf();
    const all = [...(await begin()), ask(1), ask(2)];
    await answer(DONE);
    const lost = {
      outcome: "lost",
      item: { ...BLOCK, slots: new Map([[1, OF_ANOTHER]]) },
    } as const;
    await answer(lost);
    await answer(DONE);
    expect(await Promise.all(all)).toEqual([DONE, lost, DONE]);
    expect(sent).toEqual([[0], [1, 2], [2]]);
  });

  it("are all lost if the block has another epoch, or is gone", async () => {
    for (const item of [{ ...BLOCK, epoch: "later" }, undefined]) {
      const { ask, begin, answer } = storeOf();
      const all = [...(await begin()), ask(1), ask(2)];
      await answer(DONE);
      const lost = { outcome: "lost", item } as const;
      await answer(lost);
      expect(await Promise.all(all)).toEqual([DONE, lost, lost]);
    }
  });

  it("for the same slot do not share a write", async () => {
    const { sent, ask, begin, answer } = storeOf();
    const all = [...(await begin()), ask(1), ask(1)];
    for (let n = 0; n < 3; n++) await answer(DONE);
    await Promise.all(all);
    expect(sent).toEqual([[0], [1], [1]]);
  });

  it("share none with more slots than one write takes", async () => {
    const { sent, ask, begin, answer } = storeOf();
    const most = Array.from({ length: SLOTS_PER_WRITE_MAX }, (_, n) => n);
    const all = [...(await begin()), ask(...most), ask(SLOTS_PER_WRITE_MAX)];
    for (let n = 0; n < 3; n++) await answer(DONE);
    await Promise.all(all);
    expect(sent).toEqual([[0], most, [SLOTS_PER_WRITE_MAX]]);
  });

  it("of unknown outcome are unknown to all, and an error is thrown to all", async () => {
    const { ask, begin, answer } = storeOf();
    const all = [...(await begin()), ask(1), ask(2), ask(3)].map((each) => each.catch(String));
    await answer({ outcome: "unknown" });
    await answer(new Error("throttled"));
    expect(await Promise.all(all)).toEqual([
      { outcome: "unknown" },
      "Error: throttled",
      "Error: throttled",
      "Error: throttled",
    ]);
  });
});
