import { describe, expect, it } from "vitest";
import { spaceWithPool } from "./plat.ts";

async function assignedOne(handle = "web") {
  const plat = await spaceWithPool();
  const { body } = await plat.assign({ host: "n1", ipv4: 1, handle }, "key");
  const [{ address, generation, block }] = body.addresses;
  const path = `/v1/addresses/${address}/conflict`;
  const report = (proof: object) => plat.call("POST", path, { body: proof });
  return { plat, address, generation, block, path, report };
}

describe("POST /v1/addresses/{ip}/conflict", () => {
  it("says until when nobody gets the address, and so does every answer about it", async () => {
    const { plat, address, generation, block, report } = await assignedOne();
    const { status, body } = await report({ generation });
    expect(status).toBe(200);
    expect(body).toEqual({
      requestId: "request-1",
      address,
      quarantinedUntil: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    const { quarantinedUntil } = body;
    const state = { address, state: "quarantined", quarantinedUntil, handle: "web" };
    expect((await plat.get(`/v1/addresses/${address}`)).body).toMatchObject(state);
    expect((await plat.get(`/v1/blocks/${block}`)).body).toMatchObject({
      inUse: 0,
      cooling: 1,
      addresses: [state],
    });
    const named = await plat.assign({ host: "n1", address });
    expect(named.status).toBe(409);
    expect(named.body).toMatchObject({ code: "address_quarantined", address, quarantinedUntil });
  });

  it("needs a proof, and names what is wrong with it", async () => {
    const { report } = await assignedOne();
    const fieldOf = async (body: object) => (await report(body)).body.fields[0].field;
    expect(await fieldOf({})).toBe("generation");
    expect(await fieldOf({ generation: "g7.x" })).toBe("generation");
    expect(await fieldOf({ handle: 7 })).toBe("handle");
    expect(await fieldOf({ handle: "web", until: 7 })).toBe("until");
  });

  it("rejects another handle's report, and one about an address that nobody has", async () => {
    const { plat, address, report } = await assignedOne();
    expect((await report({ handle: "else" })).body).toMatchObject({ code: "generation_conflict" });
    const free = await plat.call("POST", "/v1/addresses/10.9.9.9/conflict", {
      body: { handle: "web" },
    });
    expect(free.body).toMatchObject({ status: 404, code: "not_found" });
    expect((await plat.get(`/v1/addresses/${address}`)).body.handle).toBe("web");
  });
});

describe("DELETE /v1/addresses/{ip}/conflict", () => {
  it("ends the quarantine, and says until when the address cools", async () => {
    const { plat, address, generation, path, report } = await assignedOne();
    await report({ generation });
    const { status, body } = await plat.delete(path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ address, availableAt: expect.any(String) });
    expect((await plat.get(`/v1/addresses/${address}`)).body).toMatchObject({
      state: "cooling",
      availableAt: body.availableAt,
    });
  });

  it("rejects an address that is in no quarantine", async () => {
    const { plat, path } = await assignedOne();
    expect((await plat.delete(path)).body).toMatchObject({ status: 404, code: "not_found" });
  });
});
