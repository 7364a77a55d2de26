import { describe, expect, it } from "vitest";
import { UnavailableError } from "../../../src/base/outcome.ts";
import { withCalls } from "../../../src/kernel/core/store.ts";
import { checkTable } from "../../../src/nouns/contents/operations/check-table.ts";
import { putPool } from "../../../src/nouns/pool/operations/administration.ts";
import type { PoolSpec } from "../../../src/nouns/pool/pool.ts";
import { oneIn } from "../../simulation/sampled-calls.ts";
import { poolOf } from "../../world.ts";
import { CalicoBlock, dumpOf, listText, pool, type Resource, WINDOWS } from "../cluster.ts";
import { normalised } from "../normalised.ts";
import { terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const { plat, platWith, server, space } = terminal();

/** Makes a small cluster with every kind of change that takes more than one write. */
function cluster() {
  const own = new CalicoBlock("10.0.0.0/28", "host:node-1");
  own.take({ handle_id: "a", secondary: { node: "node-1" }, alternateOwnerAttrs: { pod: "b" } });
  own.take({ handle_id: "b", secondary: { node: "node-2" } });
  const nobodys = new CalicoBlock("10.0.0.16/28");
  nobodys.take({ handle_id: "c", secondary: { node: "node-1" } });
  const [windows, empty] = ["10.0.0.32/28", "10.0.0.48/28"].map((cidr) => {
    const block = new CalicoBlock(cidr, "host:win-1");
    for (const ordinal of [0, 1, 2, 15]) block.take({ handle_id: WINDOWS }, ordinal);
    return block;
  }) as [CalicoBlock, CalicoBlock];
  windows.take({ handle_id: "d", secondary: { node: "win-1" } });
  const closed = new CalicoBlock("10.1.0.0/28", "host:node-1");
  closed.take({ handle_id: "e" });
  return dumpOf(
    [
      pool("main", { blockSize: 28, cidr: "10.0.0.0/24" }),
      pool("closed", { blockSize: 28, cidr: "10.1.0.0/28", disabled: true }),
    ],
    [own, nobodys, windows, empty, closed],
    { autoAllocateBlocks: true, maxBlocksPerHost: 1, strictAffinity: true },
  );
}

const importing = (endpoint: string, dump = cluster()) =>
  platWith(
    { stdin: listText(dump), env: { PLAT_ENDPOINT: endpoint, PLAT_SPACE: space() } },
    ...["import", "calico", "-f", "-"],
  );

/** Makes a connection that is cut off at a write, before it arrives or before its answer. No later request arrives. */
function cutOffAt(write: number, when: "before" | "after"): Promise<string> {
  let writes = 0;
  return wayTo(server().url, async ({ route, query }) => {
    if (writes >= write) return "cut";
    const isWrite = !route.startsWith("GET") && query.get("dryRun") !== "true";
    if (!isWrite || ++writes < write) return undefined;
    return when === "before" ? "cut" : "lost";
  });
}

async function expectWhole(dump = cluster()) {
  const { out } = await plat("export", "calico", "-o", "json");
  const items: Resource[] = JSON.parse(out).items;
  expect(normalised(items)).toEqual(normalised(dump));
  expect((await importing(server().url, dump)).err).toContain("everything exists already");
}

it.each(["before", "after"] as const)(
  "runs that are cut off one after the other, each %s a write, are completed in the end",
  async (when) => {
    let runs = 0;
    for (; runs < 100; runs++) {
      const { exit } = await importing(await cutOffAt(3, when));
      expect((await checkTable(server().context)).violations).toEqual([]);
      if (exit === 0) break;
      // The API is out of reach, or an assign is still in progress, which the next run finds done.
      expect(exit).toBe(3);
    }
    expect(runs).toBeGreaterThan(3);
    await expectWhole();
  },
);

describe("a pool that a request left half made", () => {
  const leaveHalf = async (name: string, spec: PoolSpec) => {
    const { context } = server();
    const readPlan = () => Promise.reject(new UnavailableError("it is cut off"));
    const dying = { ...context, store: withCalls(context.store, { readPlan }) };
    const left = putPool(dying, space(), name, spec, undefined);
    await expect(left).rejects.toThrow(UnavailableError);
    expect(await read(name)).toMatchObject({ state: "pending" });
  };
  const read = async (name: string) =>
    JSON.parse((await plat("pool", "get", name, "-o", "json")).out);

  it("is completed by the next run, with the fields that the dump has no word for", async () => {
    await leaveHalf("main", { ...poolOf("10.0.0.0/24", 28), cooldownSeconds: 7 });
    // The import gives no address of this pool, so it need not serve the caller.
    await leaveHalf("spare", { ...poolOf("10.2.0.0/24", 28), principals: ["token:red"] });
    const dump = [...cluster(), pool("spare", { blockSize: 28, cidr: "10.2.0.0/24" })];
    expect(await importing(server().url, dump)).toMatchObject({ exit: 0 });
    await expectWhole(dump);
    expect(await read("main")).toMatchObject({ cooldownSeconds: 7 });
    expect(await read("main")).not.toHaveProperty("state");
    expect(await read("spare")).toMatchObject({ principals: ["token:red"] });
    expect(await read("spare")).not.toHaveProperty("state");
  });

  it("is a conflict if it is not to serve the caller, and the import would fill it", async () => {
    await leaveHalf("main", { ...poolOf("10.0.0.0/24", 28), principals: ["token:red"] });
    const { exit, err } = await importing(server().url);
    expect(exit).toBe(1);
    expect(err).toContain("pool main does not serve a request without a principal");
    expect(await read("main")).toMatchObject({ state: "pending", principals: ["token:red"] });
  });
});

it.each([1, 2, 4, 6, 8, 10, 12, 14, 16].filter((_, at) => at % oneIn(3) === 0))(
  "a run that is cut off at write %i is completed by the next",
  async (write) => {
    const { exit, err } = await importing(await cutOffAt(write, "after"));
    expect(exit).toBe(3);
    expect(err).toContain("does not answer");
    expect(err).toContain("Completed steps stay. Repeat the command to see what is left.");
    const { exit: again } = await importing(server().url);
    expect(again).toBe(0);
    await expectWhole();
  },
);
