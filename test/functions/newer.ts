import { NO_USAGE } from "../../src/domain/usage.ts";
import type { Reply } from "../../src/local/client.ts";
import type { Item } from "../../src/store/item.ts";
import { ciliumNode, instanceEvent, leaseEvent, nodeEvent, podEvent } from "../node-objects.ts";
import { completeIndexes } from "../simulation/indexes.ts";
import { cidrOf } from "../world.ts";
import { call, context, deployAnew, newSpace, table } from "./plat.ts";

/** This file makes a space with an item of every kind, and sends requests about them to each route of the API. */

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
const NODE_PREFIX = "10.64.1.0/24";

/** The prefix that the handle `vpc` has. */
const VPC_PREFIX = "10.64.2.0/24";

const assignPrefix = (plat: ReturnType<typeof newSpace>, body: object) =>
  plat.call("POST", "/v1/prefixes", { body });

const putCilium = (plat: ReturnType<typeof newSpace>, resourceVersion = "5") =>
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

/** A request to every route about the items of the space. Requests that would change it are dry runs where the route has one. */
export const CALLS: Readonly<Record<string, (of: Furnished) => Promise<Reply>>> = {
  "GET address": ({ plat, address }) => plat.get(`/v1/addresses/${address}`),
  "GET addresses": ({ plat }) => plat.get("/v1/addresses"),
  "GET addresses of a pool": ({ plat }) => plat.get("/v1/addresses", { pool: "main" }),
  "GET addresses of another pool": ({ plat }) => plat.get("/v1/addresses", { pool: "other" }),
  "GET addresses with an attribute": ({ plat }) =>
    plat.get("/v1/addresses", { "attribute.pod": "w" }),
  "GET addresses of the host": ({ plat }) => plat.get("/v1/addresses", { host: "n1" }),
  "GET addresses of the handle": ({ plat }) => plat.get("/v1/addresses", { handle: "web" }),
  "GET addresses of the block": ({ plat, block }) => plat.get("/v1/addresses", { cidr: block }),
  "GET handles": ({ plat }) => plat.get("/v1/handles"),
  "GET hosts": ({ plat }) => plat.get("/v1/hosts"),
  "GET spaces": () => call("GET", "/v1/spaces", { query: { limit: "250" } }),
  "GET handle": ({ plat }) => plat.get("/v1/handles/web"),
  "GET handle of another host": ({ plat }) => plat.get("/v1/handles/far"),
  "GET history of the address": ({ plat, address }) => plat.get(`/v1/addresses/${address}/history`),
  "GET history of the handle": ({ plat }) => plat.get("/v1/history/handles/web"),
  "GET events": ({ plat }) => plat.get("/v1/events"),
  "GET blocks": ({ plat }) => plat.get("/v1/blocks"),
  "GET blocks of the pool": ({ plat }) => plat.get("/v1/blocks", { pool: "main" }),
  "GET blocks of another pool": ({ plat }) => plat.get("/v1/blocks", { pool: "other" }),
  "GET blocks of the host": ({ plat }) => plat.get("/v1/blocks", { host: "n1" }),
  "GET blocks of the borrower": ({ plat }) => plat.get("/v1/blocks", { host: "n2" }),
  "GET block": ({ plat, block }) => plat.get(`/v1/blocks/${block}`),
  "GET affinities": ({ plat }) => plat.get("/v1/nodes/n1/affinities"),
  "GET affinities of all hosts": ({ plat }) => plat.get("/v1/affinities"),
  "GET utilization": ({ plat }) => plat.get("/v1/utilization"),
  "GET utilization of the pool": ({ plat }) => plat.get("/v1/pools/main/utilization"),
  "GET utilization of another pool": ({ plat }) => plat.get("/v1/pools/other/utilization"),
  "GET orphans": () => call("GET", "/v1/orphans"),
  "GET pools": ({ plat }) => plat.get("/v1/pools"),
  "GET pool": ({ plat }) => plat.get("/v1/pools/main"),
  "GET another pool": ({ plat }) => plat.get("/v1/pools/other"),
  "GET reservations": ({ plat }) => plat.get("/v1/reservations"),
  "GET reservation": ({ plat }) => plat.get("/v1/reservations/routers"),
  "GET quotas": ({ plat }) => plat.get("/v1/quotas"),
  "GET quota": ({ plat }) => plat.get("/v1/quotas/all"),
  "GET config": ({ plat }) => plat.get("/v1/config"),
  "GET nodes": ({ plat }) => plat.get("/v1/nodes"),
  "GET node": ({ plat }) => plat.get("/v1/nodes/n1"),
  "GET another node": ({ plat }) => plat.get("/v1/nodes/n9"),
  "GET namespaces": ({ plat }) => plat.get("/v1/namespaces"),
  "GET namespace": ({ plat }) => plat.get("/v1/namespaces/shop"),
  "GET another namespace": ({ plat }) => plat.get("/v1/namespaces/till"),
  "GET applications": ({ plat }) => plat.get("/v1/applications"),
  "GET application": ({ plat }) => plat.get("/v1/applications/shop/Deployment/web"),
  "GET jobs": ({ plat }) => plat.get("/v1/jobs"),
  "GET job": ({ plat, job }) => plat.get(`/v1/jobs/${job}`),
  "assign to the host": ({ plat }) => plat.assign({ host: "n1", ipv4: 1, handle: "new" }),
  "assign the address": ({ plat, address }) => plat.assign({ host: "n5", address }),
  "assign from another pool": ({ plat }) =>
    plat.assign({ host: "n5", ipv4: 1, pools: ["other"], handle: "new" }),
  "assign from the pool": ({ plat }) =>
    plat.assign({ host: "n5", ipv4: 1, pools: ["main"], handle: "new" }),
  "assign by labels": ({ plat }) =>
    plat.assign({ host: "n1", ipv4: 1, namespace: "shop", handle: "new" }),
  "assign under the limit": ({ plat }) =>
    plat.assign({ host: "n3", ipv4: 1, handle: "few", limitPerHandle: 2, pools: ["other"] }),
  "assign once more under the key": ({ plat }) =>
    plat.assign({ host: "n1", ipv4: 1, handle: "keyed" }, "key"),
  "assign as the borrower": ({ plat }) => plat.assign({ host: "n2", ipv4: 1, handle: "new" }),
  "assign to the host in a batch": ({ plat }) =>
    inBatch(plat, { assign: { host: "n1", ipv4: 1, handle: "new" }, idempotencyKey: "new" }),
  "rehearse an assign": ({ plat }) => plat.assign({ host: "n1", ipv4: 1, dryRun: true }),
  "PATCH address": ({ plat, address, generation }) =>
    plat.call("PATCH", `/v1/addresses/${address}`, {
      body: { generation, owner: { alternate: { pod: "b" } } },
    }),
  "claim the range": ({ plat, block }) =>
    plat.call("POST", "/v1/nodes/n1/affinities", { body: { cidr: block } }),
  "ensure a block": ({ plat }) =>
    plat.call("POST", "/v1/nodes/n1/affinities", { body: { families: [4] } }),
  "GET prefixes of the node": ({ plat }) => plat.get("/v1/nodes/n7/pod-cidrs", { uid: "a" }),
  "GET prefixes of all nodes of the name": ({ plat }) => plat.get("/v1/nodes/n7/pod-cidrs"),
  "give a node a prefix": ({ plat }) =>
    plat.call("POST", "/v1/nodes/n6/pod-cidrs", { body: { uid: "b" } }),
  "give a node its prefix again": ({ plat }) =>
    plat.call("POST", "/v1/nodes/n7/pod-cidrs", { body: { uid: "a" } }),
  "state the prefix of a node": ({ plat }) =>
    plat.call("POST", "/v1/nodes/n7/pod-cidrs", {
      body: { uid: "a", podCIDRs: [NODE_PREFIX] },
    }),
  "state the prefix of another node": ({ plat }) =>
    plat.call("POST", "/v1/nodes/n6/pod-cidrs", {
      body: { uid: "b", podCIDRs: [NODE_PREFIX] },
    }),
  "GET prefixes of the handle": ({ plat }) => plat.get("/v1/prefixes", { handle: "vpc" }),
  "GET the owner of a prefix": ({ plat }) => plat.get("/v1/prefixes", { cidr: VPC_PREFIX }),
  "assign a prefix": ({ plat }) => assignPrefix(plat, { handle: "new", family: 4 }),
  "assign a specific prefix": ({ plat }) => assignPrefix(plat, { handle: "new", cidr: VPC_PREFIX }),
  "release the prefixes of the handle": ({ plat }) =>
    plat.call("POST", "/v1/prefixes/release", { body: { handle: "vpc" } }),
  "make a pool of the prefix": ({ plat }) =>
    plat.put("/v1/pools/child", { cidr: VPC_PREFIX, parent: "cut" }),
  "PUT CiliumNode": ({ plat }) => putCilium(plat, "6"),
  "GET CiliumNode": ({ plat }) => plat.get("/v1/nodes/n5/cilium"),
  "release the CiliumNode": ({ plat }) =>
    plat.call("DELETE", "/v1/nodes/n5/cilium", { query: { uid: "c" } }),
  "release the prefix": ({ plat }) =>
    plat.call("DELETE", "/v1/nodes/n7/pod-cidrs", { query: { uid: "a", cidr: NODE_PREFIX } }),
  "release all prefixes": ({ plat }) =>
    plat.call("DELETE", "/v1/nodes/n7/pod-cidrs", { query: { uid: "a" } }),
  "PUT config": async ({ plat }) =>
    plat.put("/v1/config", {}, (await plat.get("/v1/config")).headers.etag ?? '"x"'),
  "PUT pool": async ({ plat }) =>
    plat.put(
      "/v1/pools/main",
      { cidr: "10.0.0.0/24", blockSize: 28, cooldownSeconds: 7 },
      (await plat.get("/v1/pools/main")).headers.etag,
    ),
  "PUT a new pool": ({ plat }) => plat.put("/v1/pools/new", { cidr: "10.9.0.0/24" }),
  "PUT a pool over the range": ({ plat }) => plat.put("/v1/pools/over", { cidr: "10.0.0.0/16" }),
  "PUT reservation": ({ plat }) =>
    plat.put("/v1/reservations/routers", { cidrs: ["10.0.0.0/30"] }, '"x"'),
  "PUT quota": ({ plat }) => plat.put("/v1/quotas/all", { requestsPerSecond: 1 }, '"x"'),
  "DELETE quota": ({ plat }) => plat.delete("/v1/quotas/all", { "if-match": '"x"' }),
  "assign for a tenant": ({ plat }) =>
    plat.assign({
      host: "n3",
      ipv4: 1,
      handle: "of-red",
      pools: ["other"],
      attributes: { tenant: "red" },
    }),
  "DELETE reservation": ({ plat }) =>
    plat.delete("/v1/reservations/routers", { "if-match": '"x"' }),
  "PUT node": ({ plat }) => plat.put("/v1/nodes/n1", { labels: {} }, '"x"'),
  "PUT a new node": ({ plat }) => plat.put("/v1/nodes/n8", { labels: {} }),
  "DELETE node": ({ plat }) => plat.delete("/v1/nodes/n1", { "if-match": '"x"' }),
  "event of the node": ({ plat }) => say(plat, nodeEvent("MODIFIED", "n7", { version: 101 })),
  "event of the end of a node": ({ plat }) =>
    say(plat, nodeEvent("DELETED", "n7", { version: 102 })),
  "event of a node that ended": ({ plat }) => say(plat, nodeEvent("ADDED", "n6", { version: 9 })),
  "event of a Lease": ({ plat }) => say(plat, leaseEvent("n7", "2026-03-11T08:14:10.000000Z")),
  "event of a machine": ({ plat }) => say(plat, instanceEvent("i-n7")),
  "event of a pod": ({ plat }) => say(plat, podEvent("DELETED", "a")),
  "GET alarms": ({ plat }) => plat.get("/v1/alarms"),
  "GET map of the pool": ({ plat }) => plat.get("/v1/pools/main/map"),
  "GET history of the pool": ({ plat }) => plat.get("/v1/pools/main/history"),
  "GET zones": ({ plat }) => plat.get("/v1/zones"),
  "GET node with a status": ({ plat }) => plat.get("/v1/nodes/n7"),
  "PUT namespace": ({ plat }) => plat.put("/v1/namespaces/shop", { labels: {} }, '"x"'),
  "DELETE namespace": ({ plat }) => plat.delete("/v1/namespaces/shop", { "if-match": '"x"' }),
  "PUT application": ({ plat }) =>
    plat.put("/v1/applications/shop/Deployment/web", { replicas: 2 }, '"x"'),
  "DELETE application": ({ plat }) =>
    plat.delete("/v1/applications/shop/Deployment/web", { "if-match": '"x"' }),
  "drain the pool": async ({ plat }) =>
    plat.post("/v1/pools/spare/drain", {
      "if-match": String((await plat.get("/v1/pools/spare")).headers.etag ?? '"x"'),
    }),
  "release affinities of the pool": ({ plat }) => plat.post("/v1/pools/other/release-affinities"),
  "DELETE pool": async ({ plat }) =>
    plat.delete("/v1/pools/main", {
      "if-match": String((await plat.get("/v1/pools/main")).headers.etag ?? '"x"'),
    }),
  // It is in use, so nothing is deleted.
  "DELETE space": ({ plat }) => plat.delete(`/v1/spaces/${plat.space}`),
  "report a conflict": ({ plat, address, generation }) =>
    plat.call("POST", `/v1/addresses/${address}/conflict`, { body: { generation } }),
  "report a conflict by its handle": ({ plat, address }) =>
    plat.call("POST", `/v1/addresses/${address}/conflict`, { body: { handle: "web" } }),
  "report a conflict of the keyed address": ({ plat, keyed: { address, generation } }) =>
    plat.call("POST", `/v1/addresses/${address}/conflict`, { body: { generation } }),
  "lift a quarantine": ({ plat, address }) => plat.delete(`/v1/addresses/${address}/conflict`),
  "release the address": ({ plat, address, generation }) =>
    plat.release({ addresses: [{ address, generation }] }),
  "release the address in a batch": ({ plat, address, generation }) =>
    inBatch(plat, { release: { addresses: [{ address, generation }] } }),
  "release the address by its handle": ({ plat, address }) =>
    plat.release({ addresses: [{ address, handle: "web" }] }),
  "release the keyed address": ({ plat, keyed: { address, generation } }) =>
    plat.release({ addresses: [{ address, generation }] }),
  "release the handle": ({ plat }) => plat.delete("/v1/handles/web"),
  "release the limited handle": ({ plat }) => plat.delete("/v1/handles/few"),
  "release affinities of the host": ({ plat }) => plat.delete("/v1/nodes/n1/affinities"),
  "release the borrower": ({ plat }) => plat.release({ host: "n2" }),
  "release the host": ({ plat }) => plat.release({ host: "n1" }),
  "release another address": ({ plat, other: { address, generation } }) =>
    plat.release({ addresses: [{ address, generation }] }),
};

const say = (plat: Furnished["plat"], body: object): Promise<Reply> =>
  plat.call("POST", "/v1/events", { body });

/** Sends a batch of one request, and returns the answer of this request. */
async function inBatch(plat: Furnished["plat"], request: object): Promise<Reply> {
  const reply = await plat.call("POST", "/v1/batch", { body: { requests: [request] } });
  const [result] = reply.body.results ?? [];
  if (!result) return reply;
  const { status, assigned, released, problem } = result;
  return { ...reply, status, body: problem ?? assigned ?? released };
}

/** Returns the first item of the table that fits. */
export function itemWhere(fits: (item: Item) => boolean): Item {
  const found = table.items().find(fits);
  if (!found) throw new Error("there is no such item");
  return found;
}

export const replace = (item: Item) => {
  table.partitions.get(item.pk)?.set(item.sk, item);
};
