import { expect, it } from "vitest";
import { freeSlots } from "../../../src/kernel/end/free-slots.ts";
import { withMishap } from "../../simulation/crash-points.ts";
import { assigned, contentsIn, contextOver, makeWorld, requestOf } from "../../world.ts";

it.each(["the request is lost", "the answer is lost"] as const)(
  "a slot that was never seen taken does not count as freed when %s: its author may be about to take it",
  async (mishap) => {
    const { table, clock, ...world } = await makeWorld();
    await assigned(world.calm, requestOf("other", 1));
    const [block] = contentsIn({ table, clock, ...world }).blocks;
    if (!block) throw new Error("nothing was claimed");
    const tag = {
      space: block.space,
      block: block.cidr,
      token: "AAAAAAAAAAAAAAA",
      handleHash: "0123456789abcdef",
      cools: false,
    };
    const free = [0, 1].filter((ordinal) => !block.slots.has(ordinal));
    const { answer } = await withMishap(table, 0, mishap, (own) =>
      freeSlots(contextOver(own, clock, 2), tag, free),
    );
    expect(answer?.freed).toEqual([]);
  },
);
