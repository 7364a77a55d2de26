import { describe, expect, it } from "vitest";
import { newSpace } from "./plat.ts";

describe("a pool", () => {
  it("that is smaller than a block of it serves nobody, ever, and can be read and deleted", async () => {
    const plat = newSpace();
    const pool = { cidr: "10.0.0.16/30", blockSize: 26, disabled: true };
    expect(await plat.put("/v1/pools/small", pool)).toMatchObject({ status: 201, body: pool });
    const { headers } = await plat.get("/v1/pools/small");
    const enabled = await plat.put("/v1/pools/small", { ...pool, disabled: false }, headers.etag);
    expect(enabled).toMatchObject({ status: 400, body: { fields: [{ field: "blockSize" }] } });
    const refused = await plat.assign({ host: "n1", address: "10.0.0.17" });
    expect(refused).toMatchObject({ status: 409, body: { code: "no_pool_available" } });
    expect(await plat.get("/v1/addresses/10.0.0.17")).toMatchObject({ body: { state: "free" } });
    const { body } = await plat.get("/v1/pools/small/utilization");
    expect(body).toMatchObject({ capacity: 4, inUse: 0, available: 4, complete: true });
    expect((await plat.get("/v1/blocks", { pool: "small" })).body.blocks).toEqual([]);
    const ifMatch = { "if-match": String(headers.etag) };
    expect(await plat.delete("/v1/pools/small", ifMatch)).toMatchObject({ status: 202 });
  });
});
