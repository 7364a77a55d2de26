import { describe, expect, it } from "vitest";
import { end, hold, WEB, withSubnet } from "../../applications.ts";
import { answerOf, stoppedBefore } from "../../simulation/crash-points.ts";
import { contentsIn, contextOver, makeWorld, type World } from "../../world.ts";

const heldIn = (world: World) =>
  contentsIn(world).blocks.flatMap(({ slots }) =>
    [...slots.values()].filter(({ kind }) => kind === "held"),
  );

describe("a deletion that stalls before it lets an address go", () => {
  it("leaves the address to an application that has it by then", async () => {
    const world = await makeWorld();
    const { table, clock, calm } = world;
    await withSubnet(world);
    await hold(calm, 1);
    const slow = stoppedBefore(table, (name) => name === "let-go");
    const deletion = answerOf(end(contextOver(slow.table, clock, 2)));
    await slow.stops;
    await end(calm);
    clock.nowMs += 10_000;
    await hold(calm, 8, { ...WEB, name: "api" });
    slow.goOn();
    await deletion;
    expect(heldIn(world)).toHaveLength(8);
  });
});
