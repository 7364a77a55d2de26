import { describe, expect, it } from "vitest";
import type { Context } from "../../../../src/kernel/core/context.ts";
import { repairIndex } from "../../../../src/maintenance/repair/sweep.ts";
import { putSettings } from "../../../../src/nouns/pool/operations/administration.ts";
import type { Table, Write } from "../../../../src/table/table.ts";
import { buildIndexes, ofTenant, searchTenant, setIndexes } from "../../../indexes.ts";
import { repairAll, sweepAll } from "../../../scheduled-runs.ts";
import { callsOf, withMishap } from "../../../simulation/crash-points.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  SPACE,
  tableOf,
  type World,
} from "../../../world.ts";

/** Puts the settings with an index of the tenant, as an operator would who has just read them. */
async function putIndex(context: Context) {
  const { settings, settingsRevision } = await context.store.readSpace(SPACE);
  const next = { ...settings, indexedAttributes: ["tenant"] };
  return putSettings(context, SPACE, next, settingsRevision);
}

const indexes = (world: World) => contentsIn(world).indexes;

const COMPLETE = { attribute: "tenant", sinceMs: expect.any(Number) };

async function worldWithTenant(): Promise<World> {
  const world = await makeWorld();
  await assigned(world.calm, ofTenant("early", "red"));
  return world;
}

/** Returns a table on which an author pauses before its last write of the settings. */
const pausedBeforeLast = ({ table, ...world }: World, come: () => Promise<unknown>): Table => {
  let puts = 0;
  return {
    ...tableOf({ table, ...world }),
    write: async (write: Write) => {
      if (write.step === "put-settings" && ++puts === 2) await come();
      return table.write(write);
    },
  };
};

describe("a new index whose PUT is cut off", () => {
  it.each(["killed before the call", "the request lands after everything else"] as const)(
    "is built by the repair run alone if it is set, wherever: %s",
    async (mishap) => {
      const walk = (own: Table, { clock }: World) => putIndex(contextOver(own, clock, 2));
      const first = await worldWithTenant();
      const calls = await callsOf(first.table, (own) => walk(own, first));
      const states = new Set<number>();
      for (let at = 0; at < calls.length; at++) {
        const world = await worldWithTenant();
        const { landLate } = await withMishap(world.table, at, mishap, (own) => walk(own, world));
        await landLate();
        states.add(indexes(world).length);
        const isSet = indexes(world).length > 0;
        await sweepAll(world.calm);
        await buildIndexes(world);
        const { by, building } = (await searchTenant(world.calm, "red")).read;
        const cut = `cut off at call ${at}, ${calls[at]}`;
        expect([by, building], cut).toEqual([isSet ? "attribute" : "space", undefined]);
      }
      expect(states).toContain(1);
    },
  );

  it("has the index that its answer says if the repair run was faster", async () => {
    const world = await worldWithTenant();
    const late = pausedBeforeLast(world, () => repairAll(world.calm));
    const written = await putIndex(contextOver(late, world.clock, 2));
    expect(written).toMatchObject({ value: { settings: { indexedAttributes: ["tenant"] } } });
    expect(indexes(world)).toMatchObject([COMPLETE]);
  });

  it("has no index if another operator took it away before the repair run wrote", async () => {
    const world = await worldWithTenant();
    await withMishap(world.table, 8, "killed before the call", (own) =>
      putIndex(contextOver(own, world.clock, 2)),
    );
    const [seen] = indexes(world);
    if (!seen) throw new Error("there is no index");
    const late: Table = {
      ...tableOf(world),
      write: async (write) => {
        if (write.step === "put-settings") await setIndexes(world.calm, []);
        return world.table.write(write);
      },
    };
    await repairIndex(contextOver(late, world.clock, 3), seen);
    expect(indexes(world)).toEqual([]);
  });
});
