import { expect, it } from "vitest";
import { eachCall } from "../../src/store/stack.ts";
import type { Table } from "../../src/table/table.ts";
import {
  assigned,
  contextOver,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  tableOf,
} from "../world.ts";

const CALLERS = 64;
const PAIRS = 1_500;
/** The number of pairs that the test leaves out, because callers conflict less until every slot of the block was used. */
const BEFORE = 700;

it("of 64 functions that assign and release on one host without a cooldown, each loses little more than a try an assign", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/20", 26), { cooldownSeconds: 0 });
  const { clock } = world;
  const { tries, served } = oneAtATime(tableOf(world));
  const pairs = { begun: 0, done: 0 };
  let triesBefore = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      // Another function releases, as in a deployment. It assigns nothing.
      const assigner = contextOver(served, clock, caller + 1);
      const releaser = contextOver(served, clock, caller + 1_001);
      while (pairs.begun < PAIRS) {
        const handle = `pod-${pairs.begun++}`;
        await releaseAll(releaser, await assigned(assigner, requestOf(handle, 1)));
        clock.nowMs++;
        if (++pairs.done === BEFORE) triesBefore = tries();
      }
    }),
  );
  const lost = (tries() - triesBefore) / (pairs.done - BEFORE) - 1;
  expect(lost).toBeGreaterThan(0.5);
  expect(lost).toBeLessThan(1.25);
});

/** Returns a table that serves calls one by one in the order of arrival, and the number of writes that take slots. */
function oneAtATime(table: Table) {
  const waiting: (() => Promise<void>)[] = [];
  let tries = 0;
  let serving = false;
  const serve = async () => {
    serving = true;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await next();
      await new Promise((resolve) => setImmediate(resolve));
    }
    serving = false;
  };
  const inOrder = <T>(call: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push(() => call().then(resolve, reject));
      if (!serving) void serve();
    });
  const counting: Table = {
    ...table,
    write(write) {
      if (write.step === "take-slots") tries++;
      return table.write(write);
    },
  };
  return { tries: () => tries, served: eachCall(counting, inOrder) };
}
