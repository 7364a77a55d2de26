import { expect, it } from "vitest";
import { instanceEvent, leaseEvent, nodeEvent, podEvent } from "../node-objects.ts";
import { call, newSpace, spaceWithPool, takeIn } from "./plat.ts";

const MACHINE = { providerID: "aws:///eu-central-1a/i-0abc" };

it("a node joins a new table, changes and ends through the queue", async () => {
  const plat = newSpace();
  const labels = { pool: "blue" };
  const events = [
    nodeEvent("ADDED", "n1", { version: 1, spec: MACHINE }),
    nodeEvent("MODIFIED", "n1", { version: 2, spec: MACHINE, labels }),
  ];
  expect(await takeIn(plat.space, events)).toBe(0);
  expect((await plat.get("/v1/nodes/n1")).body.labels).toEqual(labels);
  expect(await takeIn(plat.space, [nodeEvent("DELETED", "n1", { version: 3 })])).toBe(0);
  expect((await plat.get("/v1/nodes/n1")).status).toBe(404);
});

it("a node shows signs of life through the queue, and ends with its machine", async () => {
  const plat = newSpace();
  const joined = nodeEvent("ADDED", "n1", { version: 1, spec: MACHINE });
  expect(await takeIn(plat.space, [joined, leaseEvent("n1", "2026-03-11T08:14:00Z")])).toBe(0);
  expect((await plat.get("/v1/nodes/n1")).status).toBe(200);
  expect(await takeIn(plat.space, [instanceEvent("i-0abc")])).toBe(0);
  expect((await plat.get("/v1/nodes/n1")).status).toBe(404);
});

it("a pod that ends gives its address back through the queue, and only once", async () => {
  const plat = await spaceWithPool();
  const { body } = await plat.assign({ host: "n1", handle: "pod/p1", ipv4: 1, limitPerHandle: 1 });
  expect(await takeIn(plat.space, [podEvent("DELETED", "p1"), podEvent("DELETED", "p1")])).toBe(0);
  const { address } = body.addresses[0];
  expect((await plat.get(`/v1/addresses/${address}`)).body.state).toBe("cooling");
});

it("an event in the space of the probe is rejected, because nobody else writes there", async () => {
  expect(await takeIn("plat-probe", [nodeEvent("ADDED", "n1", { version: 1 })])).toBe(1);
  expect((await call("GET", "/v1/spaces/plat-probe/nodes")).body.nodes).toEqual([]);
});

it("a malformed event comes again, and those beside it do not", async () => {
  const plat = await spaceWithPool();
  const malformed = { type: "ADDED", object: { kind: "Node", metadata: { name: "n1" } } };
  expect(await takeIn(plat.space, [malformed, nodeEvent("ADDED", "n2")])).toBe(1);
  expect((await plat.get("/v1/nodes/n2")).status).toBe(200);
});
