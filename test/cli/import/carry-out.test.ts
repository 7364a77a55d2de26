import { expect, it } from "vitest";
import { carryOut } from "../../../src/cli/import/carry-out.ts";
import type { AssignStep, Plan } from "../../../src/cli/import/steps.ts";
import {
  ApiError,
  clientOver,
  type PlatClient,
  type ProblemCode,
} from "../../../src/client/index.ts";
import { CalicoBlock, dumpOf, listText, pool } from "../cluster.ts";
import { terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const { call, io, plat, platWith, server, space } = terminal();

const OTHERS = "Somebody else changed the space";

it("a run that somebody else comes before says so, and what is left is seen by the next", async () => {
  const block = new CalicoBlock("10.0.0.0/28", "host:node-1");
  block.take({ handle_id: "a" });
  const dump = dumpOf([pool("main", { blockSize: 28, cidr: "10.0.0.0/24" })], [block]);
  const importing = (endpoint: string) =>
    platWith(
      { stdin: listText(dump), env: { PLAT_ENDPOINT: endpoint, PLAT_SPACE: space() } },
      ...["import", "calico", "-f", "-"],
    );
  const way = await wayTo(server().url, async ({ route }) => {
    if (route === "POST /v1/assign")
      await call("POST", "/v1/assign", { host: "node-1", address: "10.0.0.0", handle: "other" });
    return undefined;
  });
  const { exit, err } = await importing(way);
  expect(exit).toBe(1);
  expect(err).toMatch(/^Error: 10\.0\.0\.0: .*\n {2}code: already_assigned\n/m);
  expect(err).toContain(OTHERS);
  expect((await importing(server().url)).err).toContain("is assigned to handle other in Plat");
});

it("what an operator changes during a run stays, of a pool and of the configuration, if the source has no word for it", async () => {
  const block = new CalicoBlock("10.0.0.0/28", "host:node-1");
  block.take({ handle_id: "a", secondary: { node: "node-1" } });
  const dump = dumpOf([pool("main", { blockSize: 28, cidr: "10.0.0.0/24" })], [block], {
    strictAffinity: true,
    autoAllocateBlocks: true,
  });
  const exits: number[] = [];
  const way = await wayTo(server().url, async ({ route }) => {
    if (route !== "POST /v1/assign") return undefined;
    const { out } = await plat("pool", "get", "main", "-o", "json");
    const main = { ...JSON.parse(out), cooldownSeconds: 77, description: "for the web" };
    const applied = platWith({ stdin: JSON.stringify(main) }, "pool", "apply", "-f", "-");
    exits.push((await applied).exit);
    exits.push((await plat("configure", "--warm-blocks-per-host", "3")).exit);
    return undefined;
  });
  const { exit, err } = await platWith(
    { stdin: listText(dump), env: { PLAT_ENDPOINT: way, PLAT_SPACE: space() } },
    ...["import", "calico", "-f", "-"],
  );
  expect(err).not.toContain("Error");
  expect([exit, ...exits]).toEqual([0, 0, 0]);
  expect((await call("GET", "/v1/pools/main")).body).toMatchObject({
    assignmentMode: "Automatic",
    cooldownSeconds: 77,
    description: "for the web",
  });
  expect((await call("GET", "/v1/config")).body).toMatchObject({
    strictAffinity: true,
    warmBlocksPerHost: 3,
  });
});

const ASSIGN: AssignStep = {
  block: "10.0.0.0/28",
  address: "10.0.0.0",
  handle: "a",
  host: "host:node-1",
  attributes: {},
};
const PLAN: Plan = {
  ...{ reservations: [], labelled: [], pools: [], claims: [], assigns: [ASSIGN], owners: [] },
  ...{ applications: [], disowns: [], leftovers: [], conflicts: [], notes: [], counts: {} },
};
const SHOWN = { update: () => {}, done: () => {} };

const refusing = (code: ProblemCode): PlatClient =>
  clientOver(() => {
    const said = { code, status: 409, type: "", title: "", detail: "No.", requestId: "r" };
    throw new ApiError({ ...said, retryable: code === "address_cooling" });
  });

it("of a rejection that is nobody else's work it only says what stays", async () => {
  const refused = carryOut(refusing("no_pool_available"), io(), PLAN, SHOWN);
  await expect(refused).rejects.toThrow(
    /^10\.0\.0\.0: No\.\n.*\ncode: no_pool_available\nrequest: r\nCompleted steps stay/,
  );
  await expect(refused).rejects.not.toThrow(OTHERS);
});

it.each(["already_assigned", "already_released", "address_cooling"] as const)(
  "%s is somebody else's work: when the plan was made the address was free",
  async (code) => {
    const refused = carryOut(refusing(code), io(), PLAN, SHOWN);
    await expect(refused).rejects.toThrow(OTHERS);
  },
);

it("an address has the same key in one run, and another in the next", async () => {
  const keys: (string | undefined)[] = [];
  const client = clientOver(async ({ headers }) => {
    keys.push(headers?.["Idempotency-Key"]);
    return { status: 200, etag: undefined, body: {} as never };
  });
  const hostReserved = { start: 3, end: 1, handle: "kept" };
  const reserving = { hostReserved, first: { ...ASSIGN, hostReserved }, isTemporary: false };
  const claims = [{ cidr: ASSIGN.block, host: ASSIGN.host, reserving }];
  const plan = { ...PLAN, claims, assigns: [reserving.first] };
  for (let run = 0; run < 2; run++) await carryOut(client, io(), plan, SHOWN);
  const [claimed, assigned, claimedNext, assignedNext] = keys;
  expect(claimed).toMatch(/^import-/);
  expect(assigned).toBe(claimed);
  expect(claimedNext).not.toBe(claimed);
  expect(assignedNext).toBe(claimedNext);
});
