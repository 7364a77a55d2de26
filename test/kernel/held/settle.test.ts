import { describe, expect, it } from "vitest";
import { DeadlineError } from "../../../src/base/outcome.ts";
import { SETTLED_BLOCKS_PER_WRITE } from "../../../src/kernel/held/settle.ts";
import { deleteApplication } from "../../../src/nouns/application/operations/delete-application.ts";
import { putApplication } from "../../../src/nouns/application/operations/put-application.ts";
import { eachCall } from "../../../src/store/stack.ts";
import type { Table } from "../../../src/table/table.ts";
import { end, hold, WEB, withSubnet } from "../../applications.ts";
import { intervals } from "../../builders.ts";
import { put } from "../../operations/ranged-pools.ts";
import { answerOf, stoppedBefore, withIntruder } from "../../simulation/crash-points.ts";
import { contentsIn, contextOver, makeWorld, poolOf, SPACE, type World } from "../../world.ts";

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

/** Returns a table that begins no more than this many calls. */
function tableFor(calls: number, table: Table): Table {
  let left = calls;
  return eachCall(table, async (call) => {
    if (left-- <= 0) throw new DeadlineError("the request ran out of time");
    return call();
  });
}

it("a deletion that has no time for all blocks goes on where the one before it ended", async () => {
  const { table, clock, calm } = await makeWorld();
  const blocks = 3 * SETTLED_BLOCKS_PER_WRITE;
  const ranges = intervals(`10.9.0.0-10.9.0.${blocks - 1}`);
  await put(calm, "wide", { ...poolOf("10.9.0.0/24", 32), ranges });
  const addresses = { number: `${blocks}`, interfaces: [{ name: "", pools: ["wide"] }] };
  const spec = { replicas: 0, start: 0, addresses: { ...addresses, keep: false } };
  await putApplication(calm, SPACE, WEB, spec, undefined);
  // Each block takes a read and a write.
  const calls = blocks;
  const cutOff = () =>
    deleteApplication(contextOver(tableFor(calls, table), clock), SPACE, WEB, { match: "any" });
  await expect(cutOff()).rejects.toThrow(DeadlineError);
  for (let n = 0; n < 3; n++) await cutOff().catch(() => {});
  expect(await calm.store.readApplication(SPACE, WEB)).toBeUndefined();
});

describe("a deletion that stalls, and its application is there again with the same addresses", () => {
  it.each([
    ["before it reads a block", 2],
    ["before it fences a block", 3],
  ])("leaves them to the application: %s", async (_, at) => {
    const world = await makeWorld();
    const { table, clock, calm } = world;
    await withSubnet(world);
    await hold(calm, 1);
    if (at === 3) await letGoAndCutOff(world);
    const slow = withIntruder(table, at, async () => {
      await end(calm);
      clock.nowMs += 10_000;
      await hold(calm, 8);
    });
    await answerOf(end(contextOver(slow, clock, 2)));
    const [application] = contentsIn(world).applications;
    expect(application?.listed.map(({ state }) => state)).toEqual(Array(8).fill("in"));
    expect(heldIn(world)).toHaveLength(8);
  });
});

/** Deletes the application, and stops after its address was let go and before it is unlisted. */
async function letGoAndCutOff({ table, clock }: World): Promise<void> {
  const cut = stoppedBefore(table, (name) => name === "settle");
  const deletion = answerOf(end(contextOver(cut.table, clock, 3)));
  await cut.stops;
  cut.end();
  await deletion;
}
