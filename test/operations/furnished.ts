import { NO_USAGE } from "../../src/nouns/utilization/usage.ts";
import { context, deployAnew, newSpace } from "../functions/plat.ts";
import { ciliumNode, leaseEvent, nodeEvent } from "../node-objects.ts";
import { completeIndexes } from "../simulation/indexes.ts";
import { cidrOf } from "../world.ts";

/** The resources of the space by name, for requests about them. */
export interface Furnished {
  readonly plat: ReturnType<typeof newSpace>;
  readonly address: string;
  readonly generation: string;
  /** The address of a request with an Idempotency-Key. */
  readonly keyed: { readonly address: string; readonly generation: string };
  readonly block: string;
  /** The address of a host that has nothing to do with the other items. */
  readonly other: { readonly address: string; readonly generation: string };
  readonly job: string;
}

/** Furnishes a space, which is the only one. */
export async function furnished(): Promise<Furnished> {
  deployAnew();
  const plat = newSpace();
  await plat.put("/v1/config", {
    cooldownSeconds: 0,
    blockMinAgeSeconds: 0,
    indexedAttributes: ["pod"],
  });
  await completeIndexes(context);
  await plat.put("/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28 });
  await plat.put("/v1/pools/other", {
    cidr: "10.1.0.0/24",
    blockSize: 28,
    assignmentMode: "Manual",
  });
  await plat.put("/v1/pools/chosen", {
    cidr: "10.2.0.0/24",
    blockSize: 28,
    allowedUses: ["Workload"],
    nodeSelector: "has(zone)",
    namespaceSelector: "has(team)",
  });
  await plat.put("/v1/pools/spare", {
    cidr: "10.3.0.0/24",
    blockSize: 28,
    assignmentMode: "Manual",
  });
  await plat.put("/v1/pools/cut", { cidr: "10.64.0.0/21", assign: "prefixes" });
  await assignPrefix(plat, { handle: "vpc", cidr: VPC_PREFIX });
  const podCIDRs = [NODE_PREFIX];
  await plat.call("POST", "/v1/nodes/n7/pod-cidrs", { body: { uid: "a", podCIDRs } });
  await plat.call("POST", "/v1/nodes/n3/pod-cidrs", {
    body: { uid: "s", podCIDRs: [STATED_NETWORK] },
  });
  await plat.put("/v1/applications/shop/Deployment/web", { replicas: 1 });
  await plat.put("/v1/reservations/routers", { cidrs: ["10.0.0.0/30"] });
  await plat.put("/v1/nodes/n1", { labels: { zone: "a" } });
  await plat.put("/v1/nodes/n9", { labels: { zone: "b" } });
  await plat.call("POST", "/v1/events", { body: { events: [...spoken("n7"), ...ended("n6")] } });
  await putCilium(plat);
  await plat.put("/v1/namespaces/shop", { labels: { team: "a" } });
  await plat.put("/v1/namespaces/each", { ipv4DefaultPools: ["main"] });
  await plat.put("/v1/namespaces/till", { labels: { team: "b" }, defaultPools: ["main"] });
  const web = (await plat.assign({ host: "n1", ipv4: 1, handle: "web", attributes: { pod: "w" } }))
    .body.addresses[0];
  const keyed = (await plat.assign({ host: "n1", ipv4: 1, handle: "keyed" }, "key")).body
    .addresses[0];
  const other = (await plat.assign({ host: "n3", ipv4: 1, handle: "far", pools: ["other"] })).body
    .addresses[0];
  await plat.assign({ host: "n3", ipv4: 1, handle: "few", limitPerHandle: 2, pools: ["other"] });
  // The address is in a block of n1, so n2 has a borrowed block.
  const lent = neighbour(web.address, [web.address, keyed.address]);
  await plat.assign({ host: "n2", address: lent, handle: "lent" });
  // The quota counts the requests of a caller that no other call has.
  await plat.put("/v1/quotas/all", {
    tenant: "red",
    addresses: 1_000,
    requestsPerSecond: 1_000,
  });
  await plat.assign({ host: "n3", ipv4: 1, pools: ["other"], attributes: { tenant: "red" } });
  const { space } = plat;
  const { pools } = await context.store.readSpace(space);
  const poolId = pools.find(({ name }) => name === "spare")?.id ?? "";
  await context.store.callPoolFull({ space, poolId, reserved: "" });
  const hints = new Map([[0n, { atMs: context.now() }]]);
  await context.store.noteLending({ space, poolId, page: 0n, hints });
  await context.store.putPoolUsage({
    space,
    poolId: pools.find(({ name }) => name === "main")?.id ?? "",
    pool: "main",
    family: 4,
    countedFromMs: Date.now(),
    countedAtMs: Date.now(),
    usage: NO_USAGE,
    samples: [],
  });
  const full = { space, host: "host:n1", block: cidrOf(web.block), affinity: "affinity" } as const;
  await context.store.callBlockFull(full);
  const drained = await plat.get("/v1/pools/spare");
  const drain = await plat.post("/v1/pools/spare/drain", { "if-match": `${drained.headers.etag}` });
  return {
    plat,
    address: web.address,
    generation: web.generation,
    keyed,
    block: web.block,
    other,
    job: drain.body.job.id,
  };
}

/** The network that node n3 states, which is no prefix of a pool. */
const STATED_NETWORK = "10.64.7.0/27";

/** The prefix that node n7 has under the uid `a`. */
export const NODE_PREFIX = "10.64.1.0/24";

/** The prefix that the handle `vpc` has. */
export const VPC_PREFIX = "10.64.2.0/24";

export const assignPrefix = (plat: ReturnType<typeof newSpace>, body: object) =>
  plat.call("POST", "/v1/prefixes", { body });

export const putCilium = (plat: ReturnType<typeof newSpace>, resourceVersion = "5") =>
  plat.call("PUT", "/v1/nodes/n5/cilium", {
    body: ciliumNode("n5", { uid: "c", resourceVersion }),
  });

/** Returns the events of a node that lives. */
const spoken = (name: string) => [
  nodeEvent("ADDED", name, { spec: { providerID: `aws:///a/i-${name}` } }),
  leaseEvent(name, "2026-03-11T08:13:10.000000Z"),
];

/** Returns the events of a node that was deleted. */
const ended = (name: string) => [nodeEvent("ADDED", name), nodeEvent("DELETED", name)];

/** Returns another address of the same block of 16 addresses. */
function neighbour(address: string, taken: readonly string[]): string {
  const [a, b, c, d = 0] = address.split(".").map(Number);
  for (let last = d - (d % 16) + 4; ; last++) {
    const text = [a, b, c, last].join(".");
    if (!taken.includes(text)) return text;
  }
}
