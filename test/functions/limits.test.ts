import { describe, expect, it } from "vitest";
import { spaceWithPool, textsOf } from "./plat.ts";

describe("limitPerHandle", () => {
  it("makes a repeat without any key tell the same address", async () => {
    const plat = await spaceWithPool();
    const ask = () => plat.assign({ host: "n1", ipv4: 1, handle: "vm", limitPerHandle: 1 });
    const first = await ask();
    expect(first.status).toBe(200);
    expect((await ask()).body.addresses).toEqual(first.body.addresses);
    expect(textsOf(await plat.get("/v1/handles/vm"))).toEqual(textsOf(first));
  });

  it("rejects a specific address beyond it, with the counts", async () => {
    const plat = await spaceWithPool();
    const ask = (address: string) =>
      plat.assign({ host: "n1", address, handle: "vm", limitPerHandle: 1 });
    expect((await ask("10.0.0.7")).status).toBe(200);
    expect((await ask("10.0.0.7")).status).toBe(200);
    expect((await ask("10.0.0.8")).body).toMatchObject({
      status: 409,
      code: "handle_limit",
      retryable: false,
      handle: "vm",
      addresses: 1,
      limitPerHandle: 1,
    });
  });

  it("below what is asked for is a slip, and says so", async () => {
    const plat = await spaceWithPool();
    const { status, body } = await plat.assign({ host: "n1", ipv4: 2, limitPerHandle: 1 });
    expect(status).toBe(400);
    expect(body.fields).toEqual([
      {
        field: "limitPerHandle",
        value: 1,
        problem: "is below the 2 of one family that are asked for",
      },
    ]);
  });
});
