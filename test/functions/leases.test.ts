import { describe, expect, it } from "vitest";
import { spaceWithPool } from "./plat.ts";

async function leased(leaseSeconds = 600) {
  const plat = await spaceWithPool();
  const { body } = await plat.assign({ host: "n1", ipv4: 1, handle: "vm", leaseSeconds });
  const [{ address, generation, expiresAt }] = body.addresses;
  const renew = (body: object, path = `/v1/addresses/${address}`) =>
    plat.call("PATCH", path, { body });
  return { plat, address, generation, expiresAt, renew };
}

describe("PATCH /v1/addresses/{ip}", () => {
  it("renews a lease under the generation, and every answer says until when", async () => {
    const { plat, address, generation, expiresAt, renew } = await leased();
    expect(expiresAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    const { status, body } = await renew({ generation, leaseSeconds: 7_200 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ requestId: "request-1", address, handle: "vm" });
    expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.parse(expiresAt));
    expect((await plat.get(`/v1/addresses/${address}`)).body.expiresAt).toBe(body.expiresAt);
    expect((await plat.get("/v1/handles/vm")).body.addresses[0].expiresAt).toBe(body.expiresAt);
  });

  it("needs a proof and a length, and names what is wrong with them", async () => {
    const { generation, renew } = await leased();
    const fieldOf = async (body: object) => (await renew(body)).body.fields[0].field;
    expect(await fieldOf({ leaseSeconds: 60 })).toBe("generation");
    expect(await fieldOf({ leaseSeconds: 60, generation: "g7.x" })).toBe("generation");
    expect(await fieldOf({ generation })).toBe("leaseSeconds");
    expect(await fieldOf({ generation, leaseSeconds: 0 })).toBe("leaseSeconds");
    expect(await fieldOf({ generation, leaseSeconds: 60, owner: "me" })).toBe("owner");
  });

  it("rejects another address' generation, and an address that nobody has", async () => {
    const { generation, renew } = await leased();
    const other = await renew({ generation, leaseSeconds: 60 }, "/v1/addresses/10.0.0.250");
    expect(other.body).toMatchObject({ status: 409, code: "generation_conflict" });
    const free = await renew({ handle: "vm", leaseSeconds: 60 }, "/v1/addresses/10.9.9.9");
    expect(free.body).toMatchObject({ status: 404, code: "not_found" });
  });
});
