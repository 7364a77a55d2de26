import createClient from "openapi-fetch";
import type { paths } from "./generated/schema.d.ts";

/**
 * Completes the README's example with a client whose types are generated from the OpenAPI document: create a pool,
 * assign, read, release.
 */
export async function completeExample(baseUrl: string): Promise<string> {
  const plat = createClient<paths>({ baseUrl });
  const path = { space: "typescript", name: "default-ipv4" };
  const pool = { cidr: "10.0.0.0/16" };
  const created = await plat.PUT("/v1/spaces/{space}/pools/{name}", {
    params: { path },
    body: pool,
  });
  const repeated = await plat.PUT("/v1/spaces/{space}/pools/{name}", {
    params: { path },
    body: pool,
  });
  if (created.response.status !== 201 || repeated.response.status !== 200)
    throw new Error(`the pool was answered with ${created.response.status}`);

  const { space } = path;
  const assigned = await plat.POST("/v1/spaces/{space}/assign", {
    params: { path: { space }, header: { "Idempotency-Key": '"web-0"' } },
    body: { host: "node-1", ipv4: 1, handle: "web-0", attributes: { pod: "web-0" } },
  });
  if (!assigned.data || !("addresses" in assigned.data))
    throw new Error(`nothing was assigned: ${JSON.stringify(assigned.error)}`);
  const [held] = assigned.data.addresses;
  if (!held) throw new Error("the answer has no address");
  const { address, generation } = held;

  const at = { path: { space, ip: address } };
  const read = await plat.GET("/v1/spaces/{space}/addresses/{ip}", { params: at });
  if (read.data?.state !== "assigned" || read.data.handle !== "web-0")
    throw new Error(`the address reads as ${JSON.stringify(read.data ?? read.error)}`);

  const released = await plat.POST("/v1/spaces/{space}/release", {
    params: { path: { space } },
    body: { addresses: [{ address, generation }] },
  });
  if (!released.data || !("results" in released.data))
    throw new Error(`nothing was released: ${JSON.stringify(released.error)}`);
  const [result] = released.data.results;
  if (result?.status !== "released") throw new Error(`the release came to ${result?.status}`);

  const missing = { path: { space, handle: "web-0" } };
  const after = await plat.GET("/v1/spaces/{space}/handles/{handle}", { params: missing });
  if (!after.error || !("code" in after.error) || after.error.code !== "not_found")
    throw new Error("the handle is there after its release");
  return address;
}
