import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Client, makeClient } from "../../src/local/client.ts";
import { openStorage } from "../../src/local/storage.ts";
import { checkTable } from "../../src/nouns/contents/operations/check-table.ts";
import { contextOf } from "../../src/wiring.ts";
import { type Started, start } from "./process.ts";

/**
 * A day of two teams on the local server: they share the blocks of one network, one runs a StatefulSet, and the other an
 * application that scales. The tests are the hours of this day, in order.
 */

/** Longer than the day, so that no released address is assigned again before the last check. */
const COOLDOWN_SECONDS = 600;
/** Both teams have addresses in the second of these blocks of 16. */
const NETWORK = { cidr: "10.9.0.0/24", blockSize: 28, gateway: "10.9.0.1" };
const RED = { first: 8, last: 23 };
const BLUE = { first: 24, last: 39 };
const WEB = "/v1/applications/shop/Deployment/web";

type Team = typeof RED;
type Member = { readonly address: string };
interface Granted {
  readonly address: string;
  readonly generation: string;
}
interface Answer {
  readonly handle: string;
  readonly addresses: readonly [Granted];
}

const rangeOf = ({ first, last }: Team) => `10.9.0.${first}-10.9.0.${last}`;
const addressesOf = ({ first, last }: Team) =>
  Array.from({ length: last - first + 1 }, (_, i) => `10.9.0.${first + i}`);
const ALL = [...addressesOf(RED), ...addressesOf(BLUE)];

let data: string;
let plat: Started;
let client: Client;
/** The owner of each address that an instance has. */
const owners = new Map<string, string>();
/** The addresses that an instance or the application had and has no more. */
const left = new Set<string>();
/** The addresses of the application. */
let members: readonly string[] = [];

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "plat-"));
  plat = await start(["--port", "0", "--data", data]);
  client = makeClient(plat.url, 1);
});

afterAll(async () => {
  client.close();
  plat.process.kill("SIGKILL");
  await plat.ended;
  await rm(data, { recursive: true });
});

const post = (path: string, body: object) => client.call("POST", path, body);

async function put(path: string, body: object, ifMatch?: string) {
  const headers = ifMatch === undefined ? {} : { "if-match": ifMatch };
  const reply = await client.call("PUT", path, body, headers);
  expect([200, 201], JSON.stringify(reply.body)).toContain(reply.status);
  return reply;
}

const ask = (namespace: string, workload: object, host: string) =>
  post("/v1/assign", { host, ipv4: 1, namespace, workload });

/** Assigns an address that nobody else has to an instance. */
async function assign(namespace: string, workload: object, host: string): Promise<Granted> {
  const { status, body } = await ask(namespace, workload, host);
  expect(status, JSON.stringify(body)).toBe(200);
  return noted(body);
}

/** Notes the owner of an address, which had no other one. */
function noted({ handle, addresses: [granted] }: Answer): Granted {
  const { address } = granted;
  const isWeb = handle.startsWith("workload/shop/Deployment/web/");
  const before = isWeb ? "held" : "free";
  expect([before, handle]).toContain(owners.get(address) ?? expectedState(address).state);
  owners.set(address, handle);
  return granted;
}

/** Assigns all that a team has left. */
async function exhaust(namespace: string): Promise<void> {
  for (let n = 0; ; n++) {
    const job = { kind: "Job", name: "fill", instance: `fill-${n}`, uid: `fill-${n}` };
    const { status, body } = await ask(namespace, job, "n2");
    if (status !== 200) return expect(body.code).toBe("pool_exhausted");
    noted(body);
  }
}

async function release(namespace: string, workload: object): Promise<void> {
  const { body } = await post("/v1/release", { namespace, workload });
  expect(body.released).toHaveLength(1);
  for (const address of body.released) {
    owners.delete(address);
    if (!members.includes(address)) left.add(address);
  }
}

const webPod = (n: number) => ({
  kind: "Deployment",
  name: "web",
  instance: `web-${n}`,
  uid: `web-${n}`,
});
const webPods = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => webPod(from + i));

/** Scales the application, and returns the members that it lost. It keeps those that its instances have. */
async function scale(replicas: number): Promise<readonly string[]> {
  const { headers } = await client.call("GET", WEB);
  const { body } = await put(
    WEB,
    { replicas, addresses: { number: "+1", pools: ["red"] } },
    headers.etag as string | undefined,
  );
  expect(body).toMatchObject({ replicas, complete: true });
  const now = new Set<string>(body.members.map(({ address }: Member) => address));
  const lost = members.filter((address) => !now.has(address));
  for (const address of lost) left.add(address);
  members = [...now];
  return lost;
}

const stateOf = async (address: string): Promise<{ state: string; handle?: string }> =>
  (await client.call("GET", `/v1/addresses/${address}`)).body;

/** Returns the state that an address must have, by what the callers were told. */
function expectedState(address: string): { state: string; handle?: string } {
  const handle = owners.get(address);
  if (handle !== undefined) return { state: "assigned", handle };
  if (members.includes(address)) return { state: "held" };
  return { state: left.has(address) ? "cooling" : "free" };
}

async function expectNothingLost(): Promise<void> {
  for (const address of ALL)
    expect({ address, ...(await stateOf(address)) }).toMatchObject({
      address,
      ...expectedState(address),
    });
}

it("two teams divide the addresses of one network", async () => {
  await put("/v1/config", { cooldownSeconds: COOLDOWN_SECONDS });
  await put("/v1/namespaces/bank", { labels: { team: "blue" } });
  await put("/v1/pools/red", { ...NETWORK, ranges: [rangeOf(RED)], namespaceNames: ["shop"] });
  await put("/v1/pools/blue", {
    ...NETWORK,
    ranges: [rangeOf(BLUE)],
    namespaceSelector: 'team == "blue"',
  });
});

it("each team gets its own addresses, and a third one gets none", async () => {
  const red = await assign("shop", { kind: "Job", name: "count", uid: "count" }, "n1");
  expect(addressesOf(RED)).toContain(red.address);
  expect(red).toMatchObject({ pool: "red", gateway: NETWORK.gateway });
  const blue = await assign("bank", { kind: "Job", name: "count", uid: "count" }, "n1");
  expect(addressesOf(BLUE)).toContain(blue.address);
  expect(blue).toMatchObject({ pool: "blue", gateway: NETWORK.gateway });
  expect(await ask("guest", { kind: "Job", name: "count", uid: "count" }, "n1")).toMatchObject({
    status: 409,
    body: {
      code: "no_pool_available",
      pools: [
        { pool: "blue", code: "namespace" },
        { pool: "red", code: "namespace" },
      ],
    },
  });
  await expectNothingLost();
});

it("an instance of a StatefulSet is kept, and returns on another host with its address", async () => {
  const DB = { kind: "StatefulSet", name: "db", instance: "db-0" };
  const first = await assign("bank", { ...DB, uid: "db-0-a" }, "n1");
  const kept = { namespace: "bank", workload: { ...DB, uid: "db-0-a" }, keep: true };
  expect((await post("/v1/release", kept)).body).toMatchObject({
    released: [],
    kept: [first.address],
  });
  expect(await stateOf(first.address)).toMatchObject({ state: "kept" });
  await assign("bank", { kind: "Job", name: "sum", uid: "sum" }, "n2");

  const again = await assign("bank", { ...DB, uid: "db-0-b" }, "n2");
  expect(again.address).toBe(first.address);
  expect(await stateOf(again.address)).toMatchObject({ state: "assigned", host: "n2" });
  const { address, generation } = first;
  const late = await post("/v1/release", { addresses: [{ address, generation }] });
  expect(late.body.results).toMatchObject([{ status: "conflict" }]);
  await expectNothingLost();
});

it("an application of 3 replicas has 4 addresses of its team", async () => {
  await scale(3);
  expect(members).toHaveLength(4);
  for (const member of members) expect(addressesOf(RED)).toContain(member);
  await expectNothingLost();
});

it("scaled to 10 it keeps these, and has 11, which its 10 instances get and nobody else", async () => {
  for (const pod of webPods(0, 3)) await assign("shop", pod, "n1");
  expect(await scale(10)).toEqual([]);
  expect(members).toHaveLength(11);
  for (const pod of webPods(3, 10))
    expect(members).toContain((await assign("shop", pod, "n2")).address);
  await assign("shop", webPod(10), "n2");
  expect(await ask("shop", webPod(11), "n2")).toMatchObject({
    status: 409,
    body: { code: "pool_exhausted", rule: "application" },
  });
  await expectNothingLost();
});

it("an instance that goes leaves its address to the next one", async () => {
  const [first] = [...owners].filter(([, handle]) => handle.endsWith("/web-10"));
  await release("shop", webPod(10));
  await expectNothingLost();
  expect((await assign("shop", webPod(12), "n1")).address).toBe(first?.[0]);
  await release("shop", webPod(12));
});

it("scaled to 2 it has 3, and nobody gets what it and its instances left", async () => {
  for (const pod of webPods(2, 10)) await release("shop", pod);
  const lost = await scale(2);
  expect(members).toHaveLength(3);
  expect(lost).toHaveLength(8);
  await expectNothingLost();
  await exhaust("shop");
  await expectNothingLost();
});

it("after kill -9 every invariant holds over the table, and nothing that is assigned or cools is missing", async () => {
  plat.process.kill("SIGKILL");
  await plat.ended;
  const storage = await openStorage({ table: "file", data });
  const { violations, counts } = await checkTable(contextOf(storage.table), { quiet: true });
  await storage.stop();
  expect(violations).toEqual([]);
  const states = ALL.map((address) => expectedState(address).state);
  const countOf = (state: string) => states.filter((each) => each === state).length;
  expect(counts).toMatchObject({ taken: owners.size, cooling: countOf("cooling") });
});
