import { describe, expect, it } from "vitest";
import { spaceWithPool } from "./plat.ts";

const SOURCE = { namespace: "shop", pod: "vm-source" };
const TARGET = { namespace: "shop", pod: "vm-target" };
const source = { namespace: "shop", name: "vm-source" };
const target = { namespace: "shop", name: "vm-target" };

/** Assigns a virtual machine an address with the attributes of its first pod. */
async function machine(attributes: object = SOURCE) {
  const plat = await spaceWithPool();
  const { body } = await plat.assign({ host: "n1", ipv4: 1, handle: "vm", attributes });
  const [{ address, generation }] = body.addresses;
  const amend = (change: object, at = address) =>
    plat.call("PATCH", `/v1/addresses/${at}`, { body: change });
  const owner = async () => (await plat.get(`/v1/addresses/${address}`)).body.owner;
  return { plat, address, generation, amend, owner };
}

describe("the owners of an address", () => {
  it("begin with the attributes it was assigned with, and every reading shows them", async () => {
    const { plat, amend, owner } = await machine();
    expect(await owner()).toEqual({ active: SOURCE });
    const { status, body } = await amend({ handle: "vm", owner: { alternate: TARGET } });
    expect(status).toBe(200);
    expect(body.owner).toEqual({ active: SOURCE, alternate: TARGET });
    expect(await owner()).toEqual(body.owner);
    expect((await plat.get("/v1/handles/vm")).body.addresses[0].owner).toEqual(body.owner);
  });

  it("are set, cleared and swapped in one request, all of it or nothing", async () => {
    const { amend, owner } = await machine();
    await amend({ handle: "vm", owner: { alternate: TARGET } });
    const swap = { active: TARGET, alternate: SOURCE };
    expect((await amend({ handle: "vm", owner: swap })).body.owner).toEqual(swap);
    const promoted = await amend({
      handle: "vm",
      owner: { active: SOURCE, alternate: null },
      expectedOwner: { active: target, alternate: source },
    });
    expect(promoted.body.owner).toEqual({ active: SOURCE });
    await amend({ handle: "vm", owner: { active: null } });
    expect(await owner()).toBeUndefined();
  });

  it("stay as they are where one side is not as expected, and the rejection says which and who stands there", async () => {
    const { amend, owner } = await machine();
    const promote = () =>
      amend({
        handle: "vm",
        owner: { active: TARGET, alternate: null },
        expectedOwner: { active: source, alternate: target },
      });
    const refused = (actual: object | null) => ({
      status: 412,
      body: {
        code: "precondition_failed",
        mismatches: [{ side: "alternate", expected: target, actual }],
      },
    });
    expect(await promote()).toMatchObject(refused(null));
    await amend({ handle: "vm", owner: { alternate: { namespace: "shop", name: "other" } } });
    expect(await promote()).toMatchObject(refused({ namespace: "shop", name: "other" }));
    expect(await owner()).toEqual({
      active: SOURCE,
      alternate: { namespace: "shop", name: "other" },
    });
    const both = await amend({
      handle: "vm",
      owner: {},
      expectedOwner: { active: null, alternate: null },
    });
    expect(both.body.mismatches.map(({ side }: { side: string }) => side)).toEqual([
      "active",
      "alternate",
    ]);
    expect(both.body.detail).toContain("its alternate owner is shop/other, not nobody");
  });

  it("change under the generation, and not under one that is over", async () => {
    const { plat, address, generation, amend } = await machine();
    const change = { owner: { alternate: TARGET } };
    expect((await amend({ generation, ...change })).status).toBe(200);
    await plat.release({ addresses: [{ address, generation }] });
    for (const proof of [{ generation }, { generation, handle: "vm" }])
      expect((await amend({ ...proof, ...change })).body.code).toBe("generation_conflict");
    expect((await amend({ handle: "vm", ...change })).body.code).toBe("not_found");
  });

  it("are not another handle's to change", async () => {
    const { amend, owner, generation } = await machine();
    for (const proof of [{ handle: "other" }, { handle: "other", generation }]) {
      const { status, body } = await amend({ ...proof, owner: { active: null } });
      expect({ status, code: body.code }).toEqual({ status: 409, code: "generation_conflict" });
    }
    expect(await owner()).toEqual({ active: SOURCE });
  });

  it("are of one address each, also where a request has several", async () => {
    const plat = await spaceWithPool();
    const { body } = await plat.assign({ host: "n1", ipv4: 3, handle: "vm" });
    const [{ address }] = body.addresses;
    await plat.call("PATCH", `/v1/addresses/${address}`, {
      body: { handle: "vm", owner: { active: SOURCE } },
    });
    const { addresses } = (await plat.get("/v1/handles/vm")).body;
    expect(addresses.map(({ owner }: { owner?: object }) => owner)).toEqual([
      { active: SOURCE },
      undefined,
      undefined,
    ]);
  });

  it("change with the lease, or neither does", async () => {
    const plat = await spaceWithPool();
    const { body } = await plat.assign({ host: "n1", ipv4: 1, handle: "vm", leaseSeconds: 60 });
    const [{ address, expiresAt }] = body.addresses;
    const amend = (expectedOwner: object) =>
      plat.call("PATCH", `/v1/addresses/${address}`, {
        body: { handle: "vm", leaseSeconds: 600, owner: { active: SOURCE }, expectedOwner },
      });
    expect((await amend({ active: source })).status).toBe(412);
    const read = async () => (await plat.get(`/v1/addresses/${address}`)).body;
    expect(await read()).toMatchObject({ expiresAt });
    const done = await amend({ active: null });
    expect(done.body).toMatchObject({ owner: { active: SOURCE } });
    expect(Date.parse(done.body.expiresAt)).toBeGreaterThan(Date.parse(expiresAt));
    expect(await read()).toMatchObject({ expiresAt: done.body.expiresAt, owner: done.body.owner });
  });

  it.each([
    ["a change of neither lease nor owner", {}, "leaseSeconds"],
    ["an owner without attributes", { owner: { active: {} } }, "owner.active"],
    [
      "a side that is set and cleared",
      { owner: { active: SOURCE, clearActive: true } },
      "owner.clearActive",
    ],
    [
      "a side expected to be somebody's and nobody's",
      { owner: {}, expectedOwner: { active: source, activeEmpty: true } },
      "expectedOwner.activeEmpty",
    ],
    [
      "an expected owner without a name",
      { owner: {}, expectedOwner: { active: {} } },
      "expectedOwner.active.name",
    ],
    ["an attribute that is no text", { owner: { active: { pod: 1 } } }, "owner.active.pod"],
    ["a lease where there is none", { leaseSeconds: 60, owner: { active: null } }, "leaseSeconds"],
  ])("%s is rejected by its field, and changes nothing", async (_, change, field) => {
    const { amend, owner } = await machine();
    const { status, body } = await amend({ handle: "vm", ...change });
    expect({ status, field: body.fields?.[0]?.field }).toEqual({ status: 400, field });
    expect(await owner()).toEqual({ active: SOURCE });
  });
});

describe("more than an allocation has room for", () => {
  const wide = (characters: number, entries = 50) =>
    Object.fromEntries(
      Array.from({ length: entries }, (_, n) => [`a${n}`, "é".repeat(characters)]),
    );

  it("is rejected as owners, and what was there stays", async () => {
    const plat = await spaceWithPool();
    const attributes = wide(600);
    const { body } = await plat.assign({ host: "n1", ipv4: 6, handle: "vm", attributes }, "key");
    const told: { status: number; field: string }[] = [];
    for (const { address } of body.addresses) {
      const reply = await plat.call("PATCH", `/v1/addresses/${address}`, {
        body: { handle: "vm", owner: { active: wide(600), alternate: wide(600) } },
      });
      told.push({ status: reply.status, field: reply.body.fields?.[0]?.field });
      const changed = (await plat.get(`/v1/addresses/${address}`)).body.owner.alternate;
      expect(changed !== undefined).toBe(reply.status === 200);
    }
    expect(told[0]).toEqual({ status: 200, field: undefined });
    expect(told.at(-1)).toEqual({ status: 400, field: "owner" });
    const releases = body.addresses.map(({ address }: { address: string }) => ({
      address,
      handle: "vm",
    }));
    const { results } = (await plat.release({ addresses: releases })).body;
    expect(results.map(({ status }: { status: string }) => status)).toEqual(
      Array(6).fill("released"),
    );
  });
});
