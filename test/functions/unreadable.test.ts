import { afterEach, beforeEach, expect, it } from "vitest";
import type { Item } from "../../src/table/item.ts";
import { netbox } from "./netbox.ts";
import { call, type newSpace, spaceWithPool, table, textsOf } from "./plat.ts";

/** These tests use a block whose item another version or another program wrote in a form that this version cannot read. */

let plat: ReturnType<typeof newSpace>;
let [address, block]: string[] = [];
let written: Item;

const replace = (item: Item) => table.partitions.get(item.pk)?.set(item.sk, item);

beforeEach(async () => {
  plat = await spaceWithPool({ cooldownSeconds: 0 });
  const assigned = await plat.assign({ host: "n1", ipv4: 1, handle: "held" });
  [{ address, block }] = assigned.body.addresses;
  const pk = `BLOCK#${plat.space}#10.0.0.0/22`;
  written = table.partitions.get(pk)?.get(block?.split("/")[0] as string) as Item;
  const { slots: _, ...rest } = written;
  replace({ ...rest, epoch: "another" } as Item);
});

afterEach(() => replace(written));

it("is rejected as what cannot be read, by its name, wherever it is asked for", async () => {
  const refused = { status: 409, body: { code: "unreadable", retryable: false } };
  expect(await plat.get(`/v1/addresses/${address}`)).toMatchObject(refused);
  expect(await plat.get(`/v1/blocks/${block}`)).toMatchObject(refused);
  expect(await plat.get("/v1/handles/held")).toMatchObject(refused);
  const specific = await plat.assign({ host: "n2", address });
  expect(specific).toMatchObject(refused);
  expect(specific.body.detail).toContain(`block ${block?.split("/")[0]}`);
});

it("stops nobody else: other blocks are listed and counted, and its own host gets another", async () => {
  for (const host of ["n1", "n2", "n1"]) {
    const assigned = await plat.assign({ host, ipv4: 1 });
    expect(assigned.status).toBe(200);
    expect(assigned.body.addresses[0].block).not.toBe(block);
  }
  expect((await plat.get("/v1/blocks", { host: "n1" })).status).toBe(200);
  expect((await plat.get("/v1/blocks", { pool: "main" })).body.blocks).toHaveLength(2);
  expect((await plat.get("/v1/pools/main/utilization")).status).toBe(200);
});

it("is named beside the others where its host's blocks are listed, released, claimed, or ended", async () => {
  await plat.assign({ host: "n1", ipv4: 1, handle: "other" });
  const affinities = "/v1/nodes/n1/affinities";
  const listed = await plat.get(affinities);
  expect(listed.body.affinities).toHaveLength(2);
  expect(listed.body.affinities).toContainEqual({
    cidr: block,
    pool: "main",
    state: "confirmed",
    borrowed: false,
  });
  const item = `block ${block?.split("/")[0]}`;
  const reason = expect.stringMatching(`^the item of ${item} cannot be read: `);
  expect(listed.body.unreadable).toEqual([{ item, reason }]);
  const ended = await plat.release({ host: "n1" });
  expect(ended.body).toMatchObject({ complete: false, unreadable: [{ item, reason }] });
  expect(ended.body.released).toHaveLength(1);
  const claimed = await plat.call("POST", affinities, { body: { cidr: block } });
  expect(claimed.body.blocks).toEqual([{ cidr: block, status: "unreadable", reason }]);
  const released = await plat.delete(affinities);
  expect(released.body.affinities).toHaveLength(2);
  expect(released.body.complete).toBe(false);
  expect(released.body.affinities).toContainEqual({ cidr: block, status: "unreadable", reason });
  const { orphans, complete, unreadable } = (await call("GET", "/v1/orphans")).body;
  expect({ orphans, complete, unreadable }).toEqual({
    orphans: [],
    complete: true,
    unreadable: [{ space: plat.space, item, reason }],
  });
});

it("is named by a release of the handle that has an address in it, which frees all others", async () => {
  await plat.assign({ host: "n1", ipv4: 2, handle: "held" });
  const { status, body } = await plat.delete("/v1/handles/held");
  expect(status).toBe(200);
  expect(body).toMatchObject({ handle: "held", complete: false });
  expect(body.released).toHaveLength(2);
  const item = `block ${block?.split("/")[0]}`;
  expect(body.unreadable).toMatchObject([
    { item, reason: expect.stringContaining("cannot be read") },
  ]);
});

it("is not written to, and nothing that it may hold is given out or given up", async () => {
  const before = table.partitions.get(written.pk)?.get(written.sk);
  await plat.delete("/v1/handles/held");
  await plat.release({ addresses: [{ address, handle: "held" }] });
  await plat.assign({ host: "n2", address });
  await plat.release({ host: "n1" });
  await plat.delete("/v1/nodes/n1/affinities");
  for (let n = 0; n < 4; n++) await plat.assign({ host: `n${n}`, ipv4: 60, allowPartial: true });
  expect(table.partitions.get(written.pk)?.get(written.sk)).toEqual(before);
  replace(written);
  expect(textsOf(await plat.get("/v1/handles/held"))).toEqual([address]);
});

it("is named in NetBox's list of addresses, and none of its addresses is free", async () => {
  const query = { vrf: plat.space };
  const list = await netbox("GET", "ipam/ip-addresses/", { query });
  const item = `block ${block?.split("/")[0]}`;
  expect(list.body).toMatchObject({ count: 0, unreadable: [{ item }] });
  const [{ id }] = (await netbox("GET", "ipam/prefixes/", { query })).body.results;
  const free = await netbox("GET", `ipam/prefixes/${id}/available-ips/`, {
    query: { limit: "0" },
  });
  expect(free.body).toHaveLength(256 - 16);
});

it("is named once in NetBox's list of prefixes, with the pool that cannot be read either", async () => {
  await plat.put("/v1/pools/clusters", { cidr: "10.8.0.0/16", assign: "prefixes", blockSize: 24 });
  for (const each of ["10.8.1.0/24", "10.8.2.0/24"])
    await plat.call("POST", "/v1/prefixes", { body: { handle: each, cidr: each } });
  await plat.put("/v1/pools/other", { cidr: "10.9.0.0/24" });
  const items = [...table.partitions.values()]
    .flatMap((partition) => [...partition.values()])
    .filter(({ pk, sk }) => pk.includes(plat.space) && ["10.8.1.0", "POOL#other"].includes(sk));
  for (const { pk, sk } of items) replace({ pk, sk });
  const query = { vrf: plat.space, within: "10.8.0.0/17" };
  const { count, unreadable } = (await netbox("GET", "ipam/prefixes/", { query })).body;
  const named = unreadable.map(({ item }: { item: string }) => item);
  expect({ count, named }).toEqual({ count: 1, named: ["pool other", "block 10.8.1.0"] });
  for (const item of items) replace(item);
});

it.each([
  ["handle", "m1", "a1"],
  ["host", "n2", "a2"],
])("between two pages hides no %s of the next block", async (kind, last, later) => {
  const specific = [
    { host: "n2", address: "10.0.0.1", handle: "m1" },
    { host: "n3", address: "10.0.0.2", handle: "m2" },
    { host: "a2", address: "10.0.0.254", handle: "a1" },
  ];
  for (const each of specific) expect((await plat.assign(each)).status).toBe(200);
  const names: string[] = [];
  const page = async (cursor?: string): Promise<string | undefined> => {
    const { body } = await plat.get(`/v1/${kind}s`, { limit: "1", ...(cursor && { cursor }) });
    names.push(...body[`${kind}s`].map((each: Record<string, string>) => each[kind]));
    return body.next;
  };
  let next = await page();
  while (names.at(-1) !== last) next = await page(next);
  const partition = table.partitions.get(`BLOCK#${plat.space}#10.0.0.0/22`);
  const first = partition?.get("10.0.0.0") as Item;
  replace({ pk: first.pk, sk: first.sk });
  while (next !== undefined) next = await page(next);
  expect(names).toContain(later);
  replace(first);
});
