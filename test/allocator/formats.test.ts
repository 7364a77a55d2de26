import { beforeEach, describe, expect, it } from "vitest";
import { putNode } from "../../src/allocator/nodes.ts";
import { Unreadable } from "../../src/domain/outcome.ts";
import type { Item } from "../../src/store/table.ts";
import { assigned, makeWorld, releaseAll, requestOf, SPACE, type World } from "../world.ts";

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
