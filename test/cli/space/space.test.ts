import { describe, expect, it } from "vitest";
import { allBlocks, wholeBlocks } from "../../../src/cli/space/blocks.ts";
import { readOwners } from "../../../src/cli/space/handles.ts";
import { type OwnedBlocks, readOwnedBlocks } from "../../../src/cli/space/space.ts";
import { type PlatClient, platClient } from "../../../src/client/index.ts";
import { spaceWithPool } from "../space.ts";
import { terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const { call, plat, io, server, space } = shell;
const pool = spaceWithPool(shell);

const assign = (host: string, address: string, handle: string, more: object = {}) =>
  call("POST", "/v1/assign", { host, address, handle, ...more });

/** Assigns and releases addresses of every kind that a block can have. */
async function aLittleOfEverything(): Promise<void> {
  await pool();
  await pool("six", { cidr: "2001:db8::/116", blockSize: 124 });
  await call("PUT", "/v1/reservations/kept", { cidrs: ["10.0.0.9", "10.0.0.20"] });
  const attributes = { pod: "web-0", namespace: "shop" };
  await assign("n1", "10.0.0.1", "web-0", { attributes });
  await assign("n1", "2001:db8::1", "web-0", { attributes });
  await assign("n2", "10.0.0.2", "borrowed");
  await assign("n1", "10.0.0.9", "reserved");
  await assign("n2", "10.0.0.17", "leased", { leaseSeconds: 600 });
  await assign("lb", "10.0.0.33", "virtual", { affinityType: "virtual" });
  await assign("win", "10.0.0.52", "windows", { hostReserved: { start: 3, end: 1 } });
  await assign("n3", "10.0.0.65", "nobodys");
  await plat("affinity", "release", "--host", "n3", "--all");
  await call("PATCH", "/v1/addresses/2001:db8::1", {
    handle: "web-0",
    owner: { alternate: { pod: "web-1" } },
  });
}

const release = (...handles: readonly string[]) =>
  Promise.all(handles.map((handle) => call("POST", "/v1/release", { handle })));

const clientTo = (url: string): PlatClient => platClient({ endpoint: url, space: space() }, io());

const unseen = { update: () => {}, done: () => {} };
const held = async (url: string): Promise<OwnedBlocks> => {
  const client = clientTo(url);
  return readOwnedBlocks(client, await allBlocks(client), unseen);
};

/** Reads each block and each handle on its own. */
async function oneByOne(): Promise<Pick<OwnedBlocks, "blocks" | "owners">> {
  const client = clientTo(server().url);
  const blocks = await wholeBlocks(
    client,
    (await allBlocks(client)).map(({ cidr }) => cidr),
  );
  return {
    blocks,
    owners: await readOwners(
      client,
      blocks.flatMap(({ addresses }) => addresses),
    ),
  };
}

/**
 * Returns the parts of either reading that can be compared: the walk has no leases, the list of blocks does not say who
 * changed them, and the handles have more than owners.
 */
const counting = ({ blocks, owners }: Pick<OwnedBlocks, "blocks" | "owners">) => ({
  blocks: blocks.map(({ addresses, ...block }) => ({
    ...block,
    changedBy: undefined,
    addresses: addresses.map(
      ({ address, state, handle, host, generation, assignedAt, availableAt }) => ({
        ...{ address, state, handle, host, generation, assignedAt, availableAt },
        owner: { ...owners.get(address)?.owner },
        under: owners.get(address)?.handle,
      }),
    ),
  })),
});

/** Makes a connection that records every request, and can change the answers of a route. */
async function noted(
  meet: (route: string) => Promise<object | undefined> = async () => undefined,
): Promise<{ readonly url: string; readonly routes: string[] }> {
  const routes: string[] = [];
  const url = await wayTo(server().url, async ({ route }) => {
    routes.push(route);
    return meet(route);
  });
  return { url, routes };
}

describe("blocks with their addresses, and whose these are", () => {
  it("are what each block and each handle says by itself, in two requests", async () => {
    await aLittleOfEverything();
    const { url, routes } = await noted();
    const all = await held(url);
    expect(counting(all)).toEqual(counting(await oneByOne()));
    expect(all.owners.get("2001:db8::1")).toEqual({
      handle: "web-0",
      owner: { active: { pod: "web-0", namespace: "shop" }, alternate: { pod: "web-1" } },
      affinityType: "host",
    });
    expect(routes).toEqual(["GET /v1/blocks", "GET /v1/contents"]);
  });

  it("ask the server what still cools, also where it is reserved, and no handle for it", async () => {
    await aLittleOfEverything();
    await release("borrowed", "reserved", "leased");
    const { url, routes } = await noted();
    const all = await held(url);
    expect(counting(all)).toEqual(counting(await oneByOne()));
    const cooling = all.blocks
      .flatMap(({ addresses }) => addresses)
      .filter(({ state }) => state === "cooling");
    expect(cooling.map(({ address }) => address)).toEqual(["10.0.0.2", "10.0.0.9", "10.0.0.17"]);
    expect(routes.slice(2).sort()).toEqual([
      "GET /v1/blocks/10.0.0.0%2F28",
      "GET /v1/blocks/10.0.0.16%2F28",
    ]);
  });

  it("are as they are now where something happened since they were listed", async () => {
    await aLittleOfEverything();
    const { url } = await noted(async (route) => {
      if (route !== "GET /v1/contents") return undefined;
      await release("leased", "virtual");
      await assign("n1", "10.0.0.3", "later", { attributes: { pod: "later" } });
      return undefined;
    });
    const all = await held(url);
    expect(counting(all)).toEqual(counting(await oneByOne()));
    expect(all.owners.get("10.0.0.3")).toMatchObject({ owner: { active: { pod: "later" } } });
  });

  it("are read by themselves where the walk has missed them", async () => {
    await aLittleOfEverything();
    const { body: early } = await call("GET", "/v1/contents");
    await assign("n1", "10.0.0.3", "later", { attributes: { pod: "later" } });
    await assign("n4", "10.0.0.81", "new", { attributes: { pod: "new" } });
    const { url } = await noted(async (route) =>
      route === "GET /v1/contents" ? early : undefined,
    );
    const all = await held(url);
    expect(counting(all)).toEqual(counting(await oneByOne()));
    expect(all.owners.get("10.0.0.81")).toMatchObject({ owner: { active: { pod: "new" } } });
  });

  it("are read by themselves where the walk has a block, and not whose its addresses are", async () => {
    await aLittleOfEverything();
    const { body } = await call("GET", "/v1/contents");
    const contents = { ...body.contents, allocations: [] };
    const { url } = await noted(async (route) =>
      route === "GET /v1/contents" ? { ...body, contents } : undefined,
    );
    expect(counting(await held(url))).toEqual(counting(await oneByOne()));
  });

  it("are nobody's where they were taken from their host since they were listed", async () => {
    await aLittleOfEverything();
    const { url } = await noted(async (route) => {
      if (route === "GET /v1/contents") await plat("affinity", "release", "--host", "n1", "--all");
      return undefined;
    });
    const all = await held(url);
    expect(all.blocks.some(({ host }) => host === "n1")).toBe(false);
    expect(counting(all)).toEqual(counting(await oneByOne()));
  });

  it("are not among them any more where they have been given up", async () => {
    await aLittleOfEverything();
    const { body } = await call("GET", "/v1/blocks");
    const blocks = [...body.blocks, { ...body.blocks[0], cidr: "10.0.0.96/28" }];
    const { url } = await noted(async (route) =>
      route === "GET /v1/blocks" ? { blocks } : undefined,
    );
    expect(counting(await held(url))).toEqual(counting(await oneByOne()));
  });
});
