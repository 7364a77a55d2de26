import { expect, it } from "vitest";
import { POOL_RESOURCE, RESERVATION_RESOURCE } from "../../../src/cli/resource/kind.ts";
import { listAll, listKnown } from "../../../src/cli/resource/list.ts";
import { unreadIn } from "../../../src/cli/space/lists.ts";
import type { PlatClient, Request } from "../../../src/client/index.ts";

it.each([POOL_RESOURCE, RESERVATION_RESOURCE])(
  "$plural are read to their last page, as many at once as there may be",
  async (kind) => {
    const asked: Request["query"][] = [];
    const client = {
      space: "blue",
      async call({ query }: Request) {
        asked.push(query);
        const at = Number(query?.cursor ?? 0);
        const body = {
          [kind.plural]: [{ name: `n${at}` }],
          ...(at < 2 && { next: String(at + 1) }),
        };
        return { status: 200, etag: undefined, body };
      },
    } as unknown as PlatClient;
    expect(await listAll(client, kind)).toEqual([{ name: "n0" }, { name: "n1" }, { name: "n2" }]);
    expect(asked).toEqual([undefined, "1", "2"].map((cursor) => ({ limit: 250, cursor })));
  },
);

it("what cannot be read is named once, beside the others, and is not taken for absent", async () => {
  const reason = "the item of pool main has format 2, and this version reads format 1";
  const told =
    "The item of pool main has format 2, and this version reads format 1.\ncode: unreadable";
  const client = {
    space: "blue",
    async call({ query }: Request) {
      const at = Number(query?.cursor ?? 0);
      const body = {
        pools: [{ name: `n${at}` }],
        unreadable: [{ item: "pool main", reason }],
        ...(at < 1 && { next: String(at + 1) }),
      };
      return { status: 200, etag: undefined, body };
    },
  } as unknown as PlatClient;
  await expect(listAll(client, POOL_RESOURCE)).rejects.toMatchObject({
    exit: 1,
    message: told,
  });
  const { items, unreadable } = await listKnown(client, POOL_RESOURCE);
  expect(items).toEqual([{ name: "n0" }, { name: "n1" }]);
  expect(unreadIn(unreadable)?.message).toBe(told);
});
