import { describe, expect, it } from "vitest";
import { leaseEvent, nodeEvent } from "../node-objects.ts";
import { newSpace, table } from "./plat.ts";

type Plat = ReturnType<typeof newSpace>;

/** Sends events of a cluster, and returns their results without what the test does not ask for. */
async function send(plat: Plat, cluster: string | undefined, ...events: readonly unknown[]) {
  const { status, body } = await plat.call("POST", "/v1/events", { body: { cluster, events } });
  expect(status).toBe(200);
  return body.results.map((result: { status: string; code?: string }) =>
    [result.status, result.code].filter(Boolean).join(" "),
  );
}

const uidOf = async (plat: Plat) => (await plat.get("/v1/nodes/n1")).body.status?.uid;

describe("a node that a cluster reports", () => {
  it("is nothing that another cluster can change, replace or end", async () => {
    const plat = newSpace();
    expect(await send(plat, "a", nodeEvent("ADDED", "n1", { uid: "of-a" }))).toEqual(["applied"]);
    const later = { uid: "of-b", version: 900, created: "2026-04-01T00:00:00Z" };
    expect(
      await send(
        plat,
        "b",
        nodeEvent("ADDED", "n1", later),
        nodeEvent("DELETED", "n1", later),
        nodeEvent("DELETED", "n1", { uid: "of-a", version: 900 }),
        leaseEvent("n1", "2026-03-11T08:13:10.000000Z"),
      ),
    ).toEqual(Array(4).fill("rejected other_cluster"));
    expect((await plat.get("/v1/nodes/n1")).body.status).toMatchObject({
      uid: "of-a",
      cluster: "a",
    });
    const renewed = leaseEvent("n1", "2026-03-11T08:13:10.000000Z");
    expect(await send(plat, "a", renewed)).toEqual(["applied"]);
    // A function that knows the renewal asks nothing, and still knows whose it is.
    expect(await send(plat, "b", renewed)).toEqual(["rejected other_cluster"]);
  });

  it("belongs to the first cluster that names itself, and words without a name are of any", async () => {
    const plat = newSpace();
    const at = (version: number) => nodeEvent("MODIFIED", "n1", { version });
    expect(await send(plat, undefined, at(1))).toEqual(["applied"]);
    expect(await send(plat, "a", at(2))).toEqual(["applied"]);
    expect(await send(plat, undefined, at(3))).toEqual(["applied"]);
    expect(await send(plat, "b", at(4))).toEqual(["rejected other_cluster"]);
  });

  it("leaves its name to other clusters when it has ended", async () => {
    const plat = newSpace();
    const ends = [nodeEvent("ADDED", "n1"), nodeEvent("DELETED", "n1", { version: 101 })];
    await send(plat, "a", ...ends);
    const heir = nodeEvent("ADDED", "n1", { uid: "of-b", created: "2026-04-01T00:00:00Z" });
    expect(await send(plat, "b", heir)).toEqual(["applied"]);
    expect(await uidOf(plat)).toBe("of-b");
  });

  it.each(["", "a b", "x".repeat(65), 7])("has a cluster with a name: not %j", async (cluster) => {
    const body = { cluster, events: [nodeEvent("ADDED", "n1")] };
    expect(await newSpace().call("POST", "/v1/events", { body })).toMatchObject({
      status: 400,
      body: { code: "invalid_request", fields: [{ field: "cluster" }] },
    });
  });
});

const NAMES = ["n1", "n2", "n3"];

/** Returns a space with the nodes of a cluster. */
async function reported(cluster = "a", names = NAMES) {
  const plat = newSpace();
  await send(plat, cluster, ...names.map((name) => nodeEvent("ADDED", name)));
  return plat;
}

/** Sends a complete list of a cluster's nodes. */
const list = (plat: Plat, version: number, names: readonly string[], more: object = {}) =>
  plat.call("POST", "/v1/nodes/complete", {
    body: {
      cluster: "a",
      resourceVersion: String(version),
      nodes: names.map((name) => ({ name, uid: `uid-of-${name}` })),
      ...more,
    },
  });

/** Lets the quarantine pass since the list that a node was first missing in. */
function wait(plat: Plat, name: string) {
  const items = table.partitions.get(`NODE#${plat.space}#${name}`);
  const item = items?.get("STATUS");
  if (!items || !item) throw new Error(`There is no report of ${name}`);
  const { rv, since } = item.missing as { rv: string; since: number };
  items.set("STATUS", { ...item, missing: { rv, since: since - 41_000 } });
}

const UNCHANGED = { ended: [], missing: [], send: [], complete: true };

describe("a complete list of a cluster's nodes", () => {
  it("ends a node at the second list without it, as a DELETED event does", async () => {
    const plat = await reported();
    const two = ["n1", "n2"];
    const missing = { ...UNCHANGED, missing: ["n3"] };
    expect((await list(plat, 200, two)).body).toMatchObject(missing);
    expect((await list(plat, 201, two)).body).toMatchObject(missing);
    wait(plat, "n3");
    expect((await list(plat, 200, two)).body).toMatchObject(missing);
    expect((await list(plat, 202, two)).body).toMatchObject({ ...UNCHANGED, ended: ["n3"] });
    expect((await plat.get("/v1/nodes/n3")).status).toBe(404);
    const words = (version: number) => nodeEvent("MODIFIED", "n3", { version });
    expect(await send(plat, "a", words(202), words(203))).toEqual(["stale", "applied"]);
  });

  it("says whose events Plat should get", async () => {
    const plat = await reported();
    const more = {
      nodes: [...NAMES.map((name) => ({ name, uid: "new" })), { name: "n9", uid: "u" }],
    };
    expect((await list(plat, 200, [], more)).body).toMatchObject({
      ...UNCHANGED,
      send: [...NAMES, "n9"],
    });
  });

  it("changes nothing if it lacks too many of them, and says which", async () => {
    const plat = await reported("a", [...NAMES, "n4", "n5"]);
    expect(await list(plat, 200, ["n1", "n2"])).toMatchObject({
      status: 409,
      body: { code: "too_many_missing", count: 3, nodes: ["n3", "n4", "n5"], retryable: false },
    });
    await plat.put("/v1/config", { goneNodesPercentMax: 61 });
    expect((await list(plat, 201, ["n1", "n2"])).body).toMatchObject({
      missing: ["n3", "n4", "n5"],
    });
  });

  it("writes nothing as a dry run", async () => {
    const plat = await reported();
    const preview = (await list(plat, 200, ["n1", "n2"], { dryRun: true })).body;
    expect(preview).toMatchObject({ ...UNCHANGED, missing: ["n3"], dryRun: true });
    const item = table.partitions.get(`NODE#${plat.space}#n3`)?.get("STATUS");
    expect(item).not.toHaveProperty("missing");
  });

  it("tells as a dry run which nodes it would end, and leaves them registered with their machines", async () => {
    const plat = newSpace();
    const spec = { providerID: "aws:///eu-west-1a/i-0123456789abcdef0" };
    const added = NAMES.map((name) => nodeEvent("ADDED", name, name === "n3" ? { spec } : {}));
    await send(plat, "a", ...added);
    const machine = () => table.partitions.get("MACHINE#i-0123456789abcdef0")?.size;
    const two = ["n1", "n2"];
    await list(plat, 200, two);
    wait(plat, "n3");
    expect(machine()).toBe(1);
    const preview = await list(plat, 201, two, { dryRun: true });
    expect(preview).toMatchObject({ status: 200, body: { ended: ["n3"], dryRun: true } });
    expect((await plat.get("/v1/nodes/n3")).status).toBe(200);
    expect(machine()).toBe(1);
  });

  it.each([
    ["cluster", { cluster: undefined }],
    ["resourceVersion", { resourceVersion: "x" }],
    ["nodes[0].uid", { nodes: [{ name: "n1" }] }],
    ["nodes", { nodes: {} }],
  ])("names the field at fault: %s", async (field, more) => {
    expect(await list(newSpace(), 200, [], more)).toMatchObject({
      status: 400,
      body: { code: "invalid_request", fields: [{ field }] },
    });
  });
});

it("events with assign false give a node that states no range none, and take the range that another one states", async () => {
  const plat = newSpace();
  const pool = { cidr: "10.64.0.0/16", assign: "prefixes", blockSize: 24 };
  await plat.put("/v1/pools/pods", pool);
  const events = [
    nodeEvent("ADDED", "asking"),
    nodeEvent("ADDED", "stating", { spec: { podCIDRs: ["10.64.3.0/24"] } }),
  ];
  const sent = await plat.call("POST", "/v1/events", { body: { assign: false, events } });
  expect(sent.body.results).toMatchObject([
    { status: "applied" },
    { status: "applied", podCIDRs: [{ cidr: "10.64.3.0/24" }] },
  ]);
  expect(sent.body.results[0]).not.toHaveProperty("patch");
  expect((await plat.get("/v1/nodes/asking/pod-cidrs")).body.podCIDRs).toEqual([]);
  expect((await plat.get("/v1/nodes/asking")).body.status).toBeDefined();
});

it("an event alone has cluster and assign beside it, as a list of events has", async () => {
  const plat = newSpace();
  const pool = { cidr: "10.64.0.0/16", assign: "prefixes", blockSize: 24 };
  await plat.put("/v1/pools/pods", pool);
  const send = (beside: object) =>
    plat.call("POST", "/v1/events", { body: { ...beside, ...nodeEvent("ADDED", "n1") } });
  const { body } = await send({ cluster: "a", assign: false });
  expect(body.results).toMatchObject([{ status: "applied" }]);
  expect((await plat.get("/v1/nodes/n1")).body.status).toMatchObject({ cluster: "a" });
  expect((await plat.get("/v1/nodes/n1/pod-cidrs")).body.podCIDRs).toEqual([]);
  expect((await send({ cluster: "b" })).body.results).toMatchObject([{ code: "other_cluster" }]);
  for (const [field, value] of Object.entries({ cluster: "a b", assign: "false" }))
    expect(await send({ [field]: value })).toMatchObject({
      status: 400,
      body: { fields: [{ field }] },
    });
});
