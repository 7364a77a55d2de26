import { beforeEach, describe, expect, it } from "vitest";
import { assign } from "../../src/allocator/assign.ts";
import { putNode } from "../../src/allocator/nodes.ts";
import { findViolations } from "../../src/domain/invariants.ts";
import { Unreadable } from "../../src/domain/outcome.ts";
import type { Item } from "../../src/store/table.ts";
import {
  assigned,
  contentsIn,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  type World,
} from "../world.ts";

/** An item that another version made its own after it was seen, under the very revision, epoch and token that were seen. */

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});

const itemIn = (pk: string): Item => {
  const found = world.table.items().find((item) => item.pk.startsWith(pk));
  if (!found) throw new Error(`nothing is under ${pk}`);
  return found;
};

/** The item as another version would have it, as long as an act lasts. */
async function outdated(pk: string, act: () => Promise<unknown>): Promise<void> {
  const item = itemIn(pk);
  const newer = { ...item, f: 2 };
  const partition = world.table.partitions.get(item.pk);
  partition?.set(item.sk, newer);
  await act();
  expect(world.table.partitions.get(item.pk)?.get(item.sk)).toBe(newer);
  partition?.set(item.sk, item);
}

describe("what another version has made its own", () => {
  it("is not replaced by who saw it before", async () => {
    const { store } = world.calm;
    await putNode(world.calm, SPACE, "node-1", {}, undefined);
    const seen = await store.readNode(SPACE, "node-1");
    if (!seen) throw new Error("there is no node");
    await outdated(`HOST#${SPACE}#host:node-1`, async () => {
      const changed = store.changeNode(seen, { ...seen, labels: { a: "b" } });
      await expect(changed).rejects.toThrow(Unreadable);
    });
  });

  it("is not changed by who saw it before", async () => {
    const told = await assigned(world.calm, requestOf("web", 1));
    await outdated("BLOCK#", async () => {
      expect(await releaseAll(world.calm, told)).toMatchObject([
        { status: "conflict", code: "unreadable" },
      ]);
    });
    await releaseAll(world.calm, told);
  });

  it("is not deleted by who saw it before", async () => {
    const told = await assigned(world.calm, requestOf("web", 1));
    await outdated("HANDLE#", async () => {
      expect(await releaseAll(world.calm, told)).toMatchObject([{ status: "released" }]);
    });
  });
});

describe("a slot write that nobody answered, in a block that another version then made its own", () => {
  /** The slots of the n-th block to be written are taken, and nobody is told; after that the block is another version's. */
  const unanswered = (nth: number, then: (item: Item) => void) => {
    const { table } = world;
    const write = table.write.bind(table);
    let writes = 0;
    table.write = async (each) => {
      const outcome = await write(each);
      if (each.step !== "take-slots" || ++writes !== nth || outcome.outcome !== "done")
        return outcome;
      then(outcome.item);
      return { outcome: "unknown" };
    };
    return () => {
      table.write = write;
    };
  };
  const replace = (item: Item) => world.table.partitions.get(item.pk)?.set(item.sk, item);

  it.each([
    ["a record of one part", 1, 1],
    ["a head that holds another part", 6, 2],
    ["a head that holds nothing", 6, 1],
  ])("leaves %s, so that nothing is taken without one", async (_, count, nth) => {
    world = await makeWorld(poolOf("10.0.0.0/26", 30));
    const seen: Item[] = [];
    const answerAgain = unanswered(nth, (item) => {
      seen.push(item);
      replace({ ...item, f: 2 });
    });
    await expect(assign(world.calm, requestOf("web", count))).rejects.toThrow(Unreadable);
    answerAgain();
    for (const item of seen) replace(item);
    expect(seen).toHaveLength(1);
    expect(findViolations(contentsIn(world))).toEqual([]);
  });
});
