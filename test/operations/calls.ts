import type { HttpReply } from "../../src/local/client.ts";
import { call } from "../functions/plat.ts";
import { instanceEvent, leaseEvent, nodeEvent, podEvent } from "../node-objects.ts";
import { assignPrefix, type Furnished, NODE_PREFIX, putCilium, VPC_PREFIX } from "./furnished.ts";
import type { ItemName } from "./items.ts";

/** A request to a route, about the items of a furnished space. */
interface Call {
  send(of: Furnished): Promise<HttpReply>;
  /** The items that it needs: an answer without one of them names it. All others change nothing. */
  readonly needs: readonly ItemName[];
}

const TO_ASSIGN = ["a reservation", "a quota", "the configuration"] as const;
const TO_READ_BLOCKS = ["a reservation", "the configuration"] as const;
const EVERY_BLOCK = [
  "a pool",
  "a page of a pool's block-group index",
  "a block",
  "a prefix",
  "a prefix of a handle",
] as const;
const ALLOCATIONS = ["an allocation", "the allocation of a request with a key"] as const;

/**
 * Requests to every route, in each form that needs other items. Requests that would change the space
 * are dry runs where the route has one.
 */
export const CALLS: Readonly<Record<string, Call>> = {
  "GET address": {
    send: ({ plat, address }) => plat.get(`/v1/addresses/${address}`),
    needs: ["a pool", "the configuration", "a block", "an allocation"],
  },
  "GET addresses": {
    send: ({ plat }) => plat.get("/v1/addresses"),
    needs: [
      ...EVERY_BLOCK,
      ...ALLOCATIONS,
      "the configuration",
      "the allocation of a handle of prefixes",
      "the allocation of a node",
    ],
  },
  "GET addresses of a pool": {
    send: ({ plat }) => plat.get("/v1/addresses", { pool: "main" }),
    needs: [
      ...ALLOCATIONS,
      "a pool",
      "the configuration",
      "a page of a pool's block-group index",
      "a block",
    ],
  },
  "GET addresses of another pool": {
    send: ({ plat }) => plat.get("/v1/addresses", { pool: "other" }),
    needs: ["the configuration"],
  },
  "GET addresses with an attribute": {
    send: ({ plat }) => plat.get("/v1/addresses", { "attribute.pod": "w" }),
    needs: ["the configuration", "a block", "an index entry", "an allocation"],
  },
  "GET addresses of the host": {
    send: ({ plat }) => plat.get("/v1/addresses", { host: "n1" }),
    needs: [...ALLOCATIONS, "the configuration", "a block", "a row of a host"],
  },
  "GET addresses of the handle": {
    send: ({ plat }) => plat.get("/v1/addresses", { handle: "web" }),
    needs: ["a block", "an allocation"],
  },
  "GET addresses of the block": {
    send: ({ plat, block }) => plat.get("/v1/addresses", { cidr: block }),
    needs: [...ALLOCATIONS, "a pool", "the configuration", "a block"],
  },
  "GET handles": {
    send: ({ plat }) => plat.get("/v1/handles"),
    needs: [
      ...EVERY_BLOCK,
      ...ALLOCATIONS,
      "the allocation of a handle of prefixes",
      "the allocation of a node",
    ],
  },
  "GET hosts": {
    send: ({ plat }) => plat.get("/v1/hosts"),
    needs: [
      ...EVERY_BLOCK,
      ...ALLOCATIONS,
      "the allocation of a handle of prefixes",
      "the allocation of a node",
      "the entry of a node for its prefix",
      "a row of a host",
      "a borrowed block",
    ],
  },
  "GET spaces": {
    send: () => call("GET", "/v1/spaces", { query: { limit: "250" } }),
    needs: ["a space in the register"],
  },
  "GET handle": {
    send: ({ plat }) => plat.get("/v1/handles/web"),
    needs: ["a block", "an allocation"],
  },
  "GET handle of another host": { send: ({ plat }) => plat.get("/v1/handles/far"), needs: [] },
  "GET history of the address": {
    send: ({ plat, address }) => plat.get(`/v1/addresses/${address}/history`),
    needs: ["a pool"],
  },
  "GET history of the handle": {
    send: ({ plat }) => plat.get("/v1/history/handles/web"),
    needs: [],
  },
  "GET events": { send: ({ plat }) => plat.get("/v1/events"), needs: [] },
  "GET blocks": {
    send: ({ plat }) => plat.get("/v1/blocks"),
    needs: [...TO_READ_BLOCKS, ...EVERY_BLOCK],
  },
  "GET blocks of the pool": {
    send: ({ plat }) => plat.get("/v1/blocks", { pool: "main" }),
    needs: [...TO_READ_BLOCKS, "a pool", "a page of a pool's block-group index", "a block"],
  },
  "GET blocks of another pool": {
    send: ({ plat }) => plat.get("/v1/blocks", { pool: "other" }),
    needs: TO_READ_BLOCKS,
  },
  "GET blocks of the host": {
    send: ({ plat }) => plat.get("/v1/blocks", { host: "n1" }),
    needs: [...TO_READ_BLOCKS, "a block", "a row of a host"],
  },
  "GET blocks of the borrower": {
    send: ({ plat }) => plat.get("/v1/blocks", { host: "n2" }),
    needs: [...TO_READ_BLOCKS, "a block", "a borrowed block"],
  },
  "GET block": {
    send: ({ plat, block }) => plat.get(`/v1/blocks/${block}`),
    needs: [...TO_READ_BLOCKS, ...ALLOCATIONS, "a pool", "a block"],
  },
  "GET affinities": {
    send: ({ plat }) => plat.get("/v1/nodes/n1/affinities"),
    needs: ["a block", "a row of a host"],
  },
  "GET affinities of all hosts": {
    send: ({ plat }) => plat.get("/v1/affinities"),
    needs: [...EVERY_BLOCK, "a row of a host"],
  },
  "GET utilization": {
    send: ({ plat }) => plat.get("/v1/utilization"),
    needs: [...TO_READ_BLOCKS, "a pool", "a page of a pool's block-group index"],
  },
  "GET utilization of the pool": {
    send: ({ plat }) => plat.get("/v1/pools/main/utilization"),
    needs: [...TO_READ_BLOCKS, "a pool", "a page of a pool's block-group index"],
  },
  "GET utilization of another pool": {
    send: ({ plat }) => plat.get("/v1/pools/other/utilization"),
    needs: TO_READ_BLOCKS,
  },
  "GET orphans": { send: () => call("GET", "/v1/orphans"), needs: EVERY_BLOCK },
  "GET pools": { send: ({ plat }) => plat.get("/v1/pools"), needs: ["a pool"] },
  "GET pool": { send: ({ plat }) => plat.get("/v1/pools/main"), needs: ["a pool"] },
  "GET another pool": { send: ({ plat }) => plat.get("/v1/pools/other"), needs: [] },
  "GET reservations": {
    send: ({ plat }) => plat.get("/v1/reservations"),
    needs: ["a reservation"],
  },
  "GET reservation": {
    send: ({ plat }) => plat.get("/v1/reservations/routers"),
    needs: ["a reservation"],
  },
  "GET quotas": { send: ({ plat }) => plat.get("/v1/quotas"), needs: ["a quota"] },
  "GET quota": { send: ({ plat }) => plat.get("/v1/quotas/all"), needs: ["a quota"] },
  "GET usage of the quota": {
    send: ({ plat }) => plat.get("/v1/quotas/all/usage"),
    needs: ["a quota", "the addresses of a quota"],
  },
  "GET config": { send: ({ plat }) => plat.get("/v1/config"), needs: ["the configuration"] },
  "GET nodes": {
    send: ({ plat }) => plat.get("/v1/nodes"),
    needs: ["a node", "an entry of the register of nodes"],
  },
  "GET nodes with their status": {
    send: ({ plat }) => plat.get("/v1/nodes", { fields: "status" }),
    needs: [
      "the configuration",
      "a node",
      "an entry of the register of nodes",
      "a report of a node",
      "a sign of life of a node",
    ],
  },
  "GET node": { send: ({ plat }) => plat.get("/v1/nodes/n1"), needs: ["a node"] },
  "GET another node": { send: ({ plat }) => plat.get("/v1/nodes/n9"), needs: [] },
  "GET namespaces": { send: ({ plat }) => plat.get("/v1/namespaces"), needs: ["a namespace"] },
  "GET namespace": { send: ({ plat }) => plat.get("/v1/namespaces/shop"), needs: ["a namespace"] },
  "GET another namespace": { send: ({ plat }) => plat.get("/v1/namespaces/till"), needs: [] },
  "GET applications": {
    send: ({ plat }) => plat.get("/v1/applications"),
    needs: ["an application"],
  },
  "GET application": {
    send: ({ plat }) => plat.get("/v1/applications/shop/Deployment/web"),
    needs: ["an application"],
  },
  "GET jobs": { send: ({ plat }) => plat.get("/v1/jobs"), needs: ["a job"] },
  "GET job": { send: ({ plat, job }) => plat.get(`/v1/jobs/${job}`), needs: ["a job"] },
  "assign to the host": {
    send: ({ plat }) => plat.assign({ host: "n1", ipv4: 1, handle: "new" }),
    needs: [...TO_ASSIGN, "a pool", "a row of a host", "a node"],
  },
  "assign the address": {
    send: ({ plat, address }) => plat.assign({ host: "n5", address }),
    needs: ["a pool", "a quota", "the configuration", "a block"],
  },
  "assign from another pool": {
    send: ({ plat }) => plat.assign({ host: "n5", ipv4: 1, pools: ["other"], handle: "new" }),
    needs: TO_ASSIGN,
  },
  "assign from the pool": {
    send: ({ plat }) => plat.assign({ host: "n5", ipv4: 1, pools: ["main"], handle: "new" }),
    needs: [...TO_ASSIGN, "a pool", "a page of a pool's block-group index"],
  },
  "assign by labels": {
    send: ({ plat }) => plat.assign({ host: "n1", ipv4: 1, namespace: "shop", handle: "new" }),
    needs: [...TO_ASSIGN, "a row of a host", "a node", "a namespace"],
  },
  "assign under the limit": {
    send: ({ plat }) =>
      plat.assign({ host: "n3", ipv4: 1, handle: "few", limitPerHandle: 2, pools: ["other"] }),
    needs: [...TO_ASSIGN, "a quota slot"],
  },
  "assign once more under the key": {
    send: ({ plat }) => plat.assign({ host: "n1", ipv4: 1, handle: "keyed" }, "key"),
    needs: ["a block", "the allocation of a request with a key"],
  },
  "assign under a new key": {
    send: ({ plat }) => plat.assign({ host: "n1", ipv4: 1, handle: "new" }, "new"),
    needs: [...TO_ASSIGN, "a pool", "a row of a host", "a node"],
  },
  "assign as the borrower": {
    send: ({ plat }) => plat.assign({ host: "n2", ipv4: 1, handle: "new" }),
    needs: [...TO_ASSIGN, "a pool", "a page of a pool's block-group index"],
  },
  "assign to the host in a batch": {
    send: ({ plat }) =>
      inBatch(plat, { assign: { host: "n1", ipv4: 1, handle: "new" }, idempotencyKey: "new" }),
    needs: [...TO_ASSIGN, "a pool", "a row of a host", "a node"],
  },
  "rehearse an assign": {
    send: ({ plat }) => plat.assign({ host: "n1", ipv4: 1, dryRun: true }),
    needs: [...TO_ASSIGN, "a pool", "a row of a host", "a node"],
  },
  "PATCH address": {
    send: ({ plat, address, generation }) =>
      plat.call("PATCH", `/v1/addresses/${address}`, {
        body: { generation, owner: { alternate: { pod: "b" } } },
      }),
    needs: ["a block", "an allocation"],
  },
  "claim the range": {
    send: ({ plat, block }) =>
      plat.call("POST", "/v1/nodes/n1/affinities", { body: { cidr: block } }),
    needs: ["a pool", "a quota", "the configuration", "a block"],
  },
  "ensure a block": {
    send: ({ plat }) => plat.call("POST", "/v1/nodes/n1/affinities", { body: { families: [4] } }),
    needs: ["a pool", "a quota", "the configuration", "a row of a host", "a node"],
  },
  "GET prefixes of the node": {
    send: ({ plat }) => plat.get("/v1/nodes/n7/pod-cidrs", { uid: "a" }),
    needs: ["a prefix", "the allocation of a node"],
  },
  "GET prefixes of all nodes of the name": {
    send: ({ plat }) => plat.get("/v1/nodes/n7/pod-cidrs"),
    needs: ["a prefix", "the allocation of a node", "the entry of a node for its prefix"],
  },
  "give a node a prefix": {
    send: ({ plat }) => plat.call("POST", "/v1/nodes/n6/pod-cidrs", { body: { uid: "b" } }),
    needs: [...TO_ASSIGN, "a pool", "the networks that a node states"],
  },
  "give a node its prefix again": {
    send: ({ plat }) => plat.call("POST", "/v1/nodes/n7/pod-cidrs", { body: { uid: "a" } }),
    needs: [
      "the configuration",
      "a prefix",
      "the quota slot of a node",
      "the allocation of a node",
    ],
  },
  "state the prefix of a node": {
    send: ({ plat }) =>
      plat.call("POST", "/v1/nodes/n7/pod-cidrs", {
        body: { uid: "a", podCIDRs: [NODE_PREFIX] },
      }),
    needs: ["a prefix", "the quota slot of a node", "the allocation of a node"],
  },
  "state the prefix of another node": {
    send: ({ plat }) =>
      plat.call("POST", "/v1/nodes/n6/pod-cidrs", {
        body: { uid: "b", podCIDRs: [NODE_PREFIX] },
      }),
    needs: ["a prefix"],
  },
  "GET prefixes of the handle": {
    send: ({ plat }) => plat.get("/v1/prefixes", { handle: "vpc" }),
    needs: ["a prefix of a handle", "the allocation of a handle of prefixes"],
  },
  "GET the owner of a prefix": {
    send: ({ plat }) => plat.get("/v1/prefixes", { cidr: VPC_PREFIX }),
    needs: ["a prefix of a handle", "the allocation of a handle of prefixes"],
  },
  "assign a prefix": {
    send: ({ plat }) => assignPrefix(plat, { handle: "new", family: 4 }),
    needs: [...TO_ASSIGN, "the networks that a node states"],
  },
  "assign a specific prefix": {
    send: ({ plat }) => assignPrefix(plat, { handle: "new", cidr: VPC_PREFIX }),
    needs: [
      "a quota",
      "the configuration",
      "a prefix of a handle",
      "the networks that a node states",
    ],
  },
  "release the prefixes of the handle": {
    send: ({ plat }) => plat.call("POST", "/v1/prefixes/release", { body: { handle: "vpc" } }),
    needs: ["a prefix of a handle", "the allocation of a handle of prefixes"],
  },
  "make a pool of the prefix": {
    send: ({ plat }) => plat.put("/v1/pools/child", { cidr: VPC_PREFIX, parent: "cut" }),
    needs: [
      "a space in the register",
      "a prefix of a handle",
      "the allocation of a handle of prefixes",
    ],
  },
  "PUT CiliumNode": {
    send: ({ plat }) => putCilium(plat, "6"),
    needs: ["a pool", "the configuration", "a report of a CiliumNode"],
  },
  "GET CiliumNode": {
    send: ({ plat }) => plat.get("/v1/nodes/n5/cilium"),
    needs: ["a pool", "the configuration", "a report of a CiliumNode"],
  },
  "release the CiliumNode": {
    send: ({ plat }) => plat.call("DELETE", "/v1/nodes/n5/cilium", { query: { uid: "c" } }),
    needs: ["a report of a CiliumNode"],
  },
  "release the prefix": {
    send: ({ plat }) =>
      plat.call("DELETE", "/v1/nodes/n7/pod-cidrs", { query: { uid: "a", cidr: NODE_PREFIX } }),
    needs: ["a prefix", "the allocation of a node"],
  },
  "release all prefixes": {
    send: ({ plat }) => plat.call("DELETE", "/v1/nodes/n7/pod-cidrs", { query: { uid: "a" } }),
    needs: ["a prefix", "the allocation of a node"],
  },
  "PUT config": {
    send: async ({ plat }) =>
      plat.put("/v1/config", {}, (await plat.get("/v1/config")).headers.etag ?? '"x"'),
    needs: ["the configuration", "a space in the register", "the version of the configuration"],
  },
  "PUT pool": {
    send: async ({ plat }) =>
      plat.put(
        "/v1/pools/main",
        { cidr: "10.0.0.0/24", blockSize: 28, cooldownSeconds: 7 },
        (await plat.get("/v1/pools/main")).headers.etag,
      ),
    needs: ["a pool", "the version of the configuration"],
  },
  "PUT a new pool": {
    send: ({ plat }) => plat.put("/v1/pools/new", { cidr: "10.9.0.0/24" }),
    needs: ["a space in the register", "the version of the configuration", "the address plan"],
  },
  "PUT a new reservation": {
    send: ({ plat }) => plat.put("/v1/reservations/new", { cidrs: ["10.3.0.128/28"] }),
    needs: ["a space in the register", "the version of the configuration"],
  },
  "PUT a new quota": {
    send: ({ plat }) => plat.put("/v1/quotas/new", { tenant: "blue", addresses: 8 }),
    needs: ["a space in the register", "the version of the configuration"],
  },
  "PUT a new namespace": {
    send: ({ plat }) => plat.put("/v1/namespaces/new", { labels: {} }),
    needs: ["a space in the register"],
  },
  "PUT a new application": {
    send: ({ plat }) => plat.put("/v1/applications/new/Deployment/web", { replicas: 1 }),
    needs: [],
  },
  "PUT a pool over the range": {
    send: ({ plat }) => plat.put("/v1/pools/over", { cidr: "10.0.0.0/16" }),
    needs: ["a space in the register", "the address plan"],
  },
  "PUT reservation": {
    send: ({ plat }) => plat.put("/v1/reservations/routers", { cidrs: ["10.0.0.0/30"] }, '"x"'),
    needs: ["a reservation"],
  },
  "PUT quota": {
    send: ({ plat }) => plat.put("/v1/quotas/all", { requestsPerSecond: 1 }, '"x"'),
    needs: ["a quota"],
  },
  "DELETE quota": {
    send: ({ plat }) => plat.delete("/v1/quotas/all", { "if-match": '"x"' }),
    needs: ["a quota"],
  },
  "assign for a tenant": {
    send: ({ plat }) =>
      plat.assign({
        host: "n3",
        ipv4: 1,
        handle: "of-red",
        pools: ["other"],
        attributes: { tenant: "red" },
      }),
    needs: [...TO_ASSIGN, "the addresses of a quota", "the requests of a quota"],
  },
  "DELETE reservation": {
    send: ({ plat }) => plat.delete("/v1/reservations/routers", { "if-match": '"x"' }),
    needs: ["a reservation"],
  },
  "PUT node": {
    send: ({ plat }) => plat.put("/v1/nodes/n1", { labels: {} }, '"x"'),
    needs: ["a node"],
  },
  "PUT a new node": { send: ({ plat }) => plat.put("/v1/nodes/n8", { labels: {} }), needs: [] },
  "DELETE node": {
    send: ({ plat }) => plat.delete("/v1/nodes/n1", { "if-match": '"x"' }),
    needs: ["a node"],
  },
  "event of the node": {
    send: ({ plat }) => say(plat, nodeEvent("MODIFIED", "n7", { version: 101 })),
    needs: ["the configuration", "a report of a node", "a sign of life of a node"],
  },
  "event of the end of a node": {
    send: ({ plat }) => say(plat, nodeEvent("DELETED", "n7", { version: 102 })),
    needs: ["the configuration", "a report of a node", "a sign of life of a node"],
  },
  "event of a node that ended": {
    send: ({ plat }) => say(plat, nodeEvent("ADDED", "n6", { version: 9 })),
    needs: ["a tombstone of a node"],
  },
  "event of a Lease": {
    send: ({ plat }) => say(plat, leaseEvent("n7", "2026-03-11T08:14:10.000000Z")),
    needs: ["a report of a node", "a sign of life of a node"],
  },
  "event of a machine": {
    send: ({ plat }) => say(plat, instanceEvent("i-n7")),
    needs: ["the configuration", "a report of a node", "a sign of life of a node", "a machine"],
  },
  "complete list of nodes": {
    send: ({ plat }) =>
      plat.call("POST", "/v1/nodes/complete", {
        body: { cluster: "c", resourceVersion: "200", nodes: [{ name: "n7", uid: "uid-of-n7" }] },
      }),
    needs: ["the configuration", "an entry of the register of nodes"],
  },
  "event of a pod": {
    send: ({ plat }) => say(plat, podEvent("DELETED", "a")),
    needs: ["the configuration"],
  },
  "GET alarms": { send: ({ plat }) => plat.get("/v1/alarms"), needs: ["the usage of a pool"] },
  "GET map of the pool": {
    send: ({ plat }) => plat.get("/v1/pools/main/map"),
    needs: [...TO_READ_BLOCKS, "a pool", "a page of a pool's block-group index", "a block"],
  },
  "GET history of the pool": {
    send: ({ plat }) => plat.get("/v1/pools/main/history"),
    needs: ["a pool", "the usage of a pool"],
  },
  "GET zones": {
    send: ({ plat }) => plat.get("/v1/zones"),
    needs: [
      "the configuration",
      "an entry of the register of nodes",
      "a report of a node",
      "a sign of life of a node",
    ],
  },
  "GET node with a status": {
    send: ({ plat }) => plat.get("/v1/nodes/n7"),
    needs: ["the configuration", "a report of a node", "a sign of life of a node"],
  },
  "PUT namespace": {
    send: ({ plat }) => plat.put("/v1/namespaces/shop", { labels: {} }, '"x"'),
    needs: ["a namespace"],
  },
  "DELETE namespace": {
    send: ({ plat }) => plat.delete("/v1/namespaces/shop", { "if-match": '"x"' }),
    needs: ["a namespace"],
  },
  "PUT application": {
    send: ({ plat }) => plat.put("/v1/applications/shop/Deployment/web", { replicas: 2 }, '"x"'),
    needs: ["an application"],
  },
  "DELETE application": {
    send: ({ plat }) => plat.delete("/v1/applications/shop/Deployment/web", { "if-match": '"x"' }),
    needs: ["an application"],
  },
  "drain the pool": {
    send: async ({ plat }) =>
      plat.post("/v1/pools/spare/drain", {
        "if-match": String((await plat.get("/v1/pools/spare")).headers.etag ?? '"x"'),
      }),
    needs: ["a job"],
  },
  "release affinities of the pool": {
    send: ({ plat }) => plat.post("/v1/pools/other/release-affinities"),
    needs: [],
  },
  "DELETE pool": {
    send: async ({ plat }) =>
      plat.delete("/v1/pools/main", {
        "if-match": String((await plat.get("/v1/pools/main")).headers.etag ?? '"x"'),
      }),
    needs: ["a pool", "a page of a pool's block-group index", "a block"],
  },
  // It is in use, so nothing is deleted.
  "DELETE space": {
    send: ({ plat }) => plat.delete(`/v1/spaces/${plat.space}`),
    needs: [
      ...TO_ASSIGN,
      "a pool",
      "a node",
      "an entry of the register of nodes",
      "the networks that a node states",
      "a namespace",
      "an application",
    ],
  },
  "report a conflict": {
    send: ({ plat, address, generation }) =>
      plat.call("POST", `/v1/addresses/${address}/conflict`, { body: { generation } }),
    needs: ["a pool", "the configuration", "a block"],
  },
  "report a conflict by its handle": {
    send: ({ plat, address }) =>
      plat.call("POST", `/v1/addresses/${address}/conflict`, { body: { handle: "web" } }),
    needs: ["a pool", "the configuration", "a block"],
  },
  "report a conflict of the keyed address": {
    send: ({ plat, keyed: { address, generation } }) =>
      plat.call("POST", `/v1/addresses/${address}/conflict`, { body: { generation } }),
    needs: ["a pool", "the configuration", "a block", "the allocation of a request with a key"],
  },
  "lift a quarantine": {
    send: ({ plat, address }) => plat.delete(`/v1/addresses/${address}/conflict`),
    needs: ["a pool", "the configuration", "a block"],
  },
  "release the address": {
    send: ({ plat, address, generation }) => plat.release({ addresses: [{ address, generation }] }),
    needs: ["a block"],
  },
  "release the address in a batch": {
    send: ({ plat, address, generation }) =>
      inBatch(plat, { release: { addresses: [{ address, generation }] } }),
    needs: ["a block"],
  },
  "release the address by its handle": {
    send: ({ plat, address }) => plat.release({ addresses: [{ address, handle: "web" }] }),
    needs: ["a pool", "a block"],
  },
  "release the keyed address": {
    send: ({ plat, keyed: { address, generation } }) =>
      plat.release({ addresses: [{ address, generation }] }),
    needs: ["a block", "the allocation of a request with a key"],
  },
  "release the handle": {
    send: ({ plat }) => plat.delete("/v1/handles/web"),
    needs: ["a block", "an allocation"],
  },
  "release the limited handle": { send: ({ plat }) => plat.delete("/v1/handles/few"), needs: [] },
  "release affinities of the host": {
    send: ({ plat }) => plat.delete("/v1/nodes/n1/affinities"),
    needs: ["a pool", "the configuration", "a block", "a row of a host"],
  },
  "release the borrower": {
    send: ({ plat }) => plat.release({ host: "n2" }),
    needs: ["a block", "a borrowed block", "the allocation of a request with a key"],
  },
  "release the host": {
    send: ({ plat }) => plat.release({ host: "n1" }),
    needs: ["a block", "a row of a host", "the allocation of a request with a key"],
  },
  "release another address": {
    send: ({ plat, other: { address, generation } }) =>
      plat.release({ addresses: [{ address, generation }] }),
    needs: [],
  },
};

/** The routes without a request here, by their ids, and the reason. */
export const NOT_CALLED: Readonly<Record<string, string>> = {
  listContents: "It names every item. The suite of formats looks for each of them in it.",
  isAlive: "It needs no item.",
  isReady: "It needs no item of a space.",
  describe: "It needs no item.",
  readPrincipal: "It needs no item.",
  readVersion: "It needs no item.",
  listSchemas: "It needs no item.",
  readSchema: "It needs no item.",
};

const say = (plat: Furnished["plat"], body: object): Promise<HttpReply> =>
  plat.call("POST", "/v1/events", { body });

/** Sends a batch of one request, and returns the answer of this request. */
async function inBatch(plat: Furnished["plat"], request: object): Promise<HttpReply> {
  const reply = await plat.call("POST", "/v1/batch", { body: { requests: [request] } });
  const [result] = reply.body.results ?? [];
  if (!result) return reply;
  const { status, assigned, released, problem } = result;
  return { ...reply, status, body: problem ?? assigned ?? released };
}
