import { describe, expect, it } from "vitest";
import type { Item } from "../../src/table/item.ts";
import { type newSpace, spaceWithPool, table, textsOf } from "./plat.ts";

type Plat = ReturnType<typeof newSpace>;

const replace = (item: Item) => table.partitions.get(item.pk)?.set(item.sk, item);

describe("an affinity or a borrowed block of a host that cannot be read", () => {
  /** Gives an item of the host a format that this version cannot read while `work` runs. */
  async function unread(plat: Plat, sk: RegExp, work: () => Promise<void>): Promise<void> {
    const items = table.partitions.get(`HOST#${plat.space}#host:n1`);
    const [item] = [...(items?.values() ?? [])].filter((each) => sk.test(each.sk));
    if (!item) throw new Error(`the host has nothing under ${sk}`);
    replace({ ...item, f: 2 });
    await work().finally(() => replace(item));
  }

  it.each([
    ["affinity", /^AFFINITY#4#0/, "affinity 0 (IPv4) of host n1"],
    ["borrowed block", /^TAKEN#/, expect.stringMatching(/^block .* borrowed by host n1$/)],
  ])("is named by a release of the host, which releases all else: a %s", async (_, sk, item) => {
    const plat = await spaceWithPool({ cooldownSeconds: 0 });
    const borrowedFrom = await plat.assign({ host: "n2", ipv4: 1, handle: "lender" });
    const full = await plat.assign({ host: "n1", ipv4: 64, handle: "all" });
    const borrowed = borrowedFrom.body.addresses[0].address.replace(
      /\d+$/,
      (last: string) => Number(last) ^ 1,
    );
    expect((await plat.assign({ host: "n1", address: borrowed })).body.addresses[0].borrowed).toBe(
      true,
    );
    expect(full.body.addresses).toHaveLength(64);
    await unread(plat, sk, async () => {
      const { status, body } = await plat.release({ host: "n1" });
      expect(status).toBe(200);
      expect(body).toMatchObject({ complete: false, unreadable: [{ item, format: 2, reads: 1 }] });
      expect(body.released.length).toBeGreaterThan(0);
      const again = await plat.release({ host: "n1" });
      expect(again.body).toMatchObject({
        released: [],
        progressed: false,
        complete: false,
        unreadable: [{ item }],
      });
      const listed = await plat.get("/v1/nodes/n1/affinities");
      expect(listed.body.affinities.length).toBeGreaterThan(0);
      expect(listed.body.unreadable).toMatchObject([{ item }]);
    });
    expect((await plat.release({ host: "n1" })).body).toMatchObject({ complete: true });
    expect(textsOf(await plat.get("/v1/handles/lender"))).toEqual(textsOf(borrowedFrom));
  });
});
