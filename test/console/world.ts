import type { Site } from "./browser.ts";

const HOSTS = 6;
const PODS = 240;
const RELEASED_EACH = 5;

/** A small cluster: pools with blocks of some hosts, addresses in most states, and a job. */
export interface World {
  readonly pod: { readonly address: string; readonly block: string; readonly handle: string };
  readonly quarantined: string;
  readonly job: string;
}

/** Makes the small cluster. */
export async function populate(site: Site): Promise<World> {
  await site.api("PUT", "/v1/config", { cooldownSeconds: 600 });
  await site.api("PUT", "/v1/pools/pods", { cidr: "10.64.0.0/20", blockSize: 26 });
  await site.api("PUT", "/v1/pools/wide", { cidr: "2001:db8::/64", blockSize: 122 });
  await site.api("PUT", "/v1/pools/old", { cidr: "10.9.0.0/24", disabled: true });
  const reserved = { cidrs: ["10.64.0.0/28"], reason: "routers" };
  await site.api("PUT", "/v1/reservations/routers", reserved);
  await site.api("PUT", "/v1/quotas/shop", { tenant: "shop", addresses: 10_000 });
  await site.api("PUT", "/v1/nodes/node-0", { labels: { zone: "a" } });
  const pods = [];
  for (let i = 0; i < PODS; i++) pods.push(await assign(site, i));
  for (const { address, generation } of pods.filter((_, i) => i % RELEASED_EACH === 1))
    await site.api("POST", "/v1/release", { addresses: [{ address, generation }] });
  const [pod, , hit] = pods;
  if (!pod || !hit) throw new Error("no pod got an address");
  await site.api("POST", `/v1/addresses/${hit.address}/conflict`, { generation: hit.generation });
  const { job } = await site.api("POST", "/v1/pools/old/release-affinities");
  return { pod, quarantined: hit.address, job: job.id };
}

async function assign(site: Site, i: number) {
  const handle = `shop/web-${i}`;
  const { addresses } = await site.api("POST", "/v1/assign", {
    host: `node-${i % HOSTS}`,
    ipv4: 1,
    ...(i % HOSTS === 0 && { ipv6: 1 }),
    handle,
    attributes: { pod: `web-${i}` },
  });
  const [{ address, block, generation }] = addresses;
  return { address, block, generation, handle } as {
    address: string;
    block: string;
    generation: string;
    handle: string;
  };
}
