import { describe, expect, it } from "vitest";
import { dryRun, make } from "../../../src/cli/resource/change.ts";
import {
  NODE_RESOURCE,
  POOL_RESOURCE,
  RESERVATION_RESOURCE,
} from "../../../src/cli/resource/kind.ts";
import { path, platClient } from "../../../src/client/index.ts";
import { terminal } from "../terminal.ts";

const { plat, server, space, io } = terminal();

const client = () => platClient({ endpoint: server().url, space: space() }, io());
const reservation = (reason: string) => ({
  kind: RESERVATION_RESOURCE,
  name: "gateways",
  body: { cidrs: ["10.0.0.1"], reason },
  unsaid: [],
});

describe("a pool whose creation was cut off", () => {
  /** Makes the pool of the space one whose creation was cut off. */
  const interrupt = async () => {
    const { store } = server().context;
    const [pool] = (await store.readSpace(space())).pools;
    if (!pool) throw new Error("there is no pool");
    await store.putPool({ ...pool, state: "pending", revision: "a-revision" }, pool);
  };

  it("is created when it is applied again", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/16");
    await interrupt();
    expect((await plat("pool", "get", "-o", "wide")).out).toContain("pending");

    const body = { cidr: "10.0.0.0/16" };
    const change = await dryRun(client(), {
      kind: POOL_RESOURCE,
      name: "web",
      body,
      unsaid: [],
    });
    expect(change.outcome).toBe("created");
    await make(client(), change);
    expect((await plat("pool", "get", "-o", "wide")).out).not.toContain("pending");
  });

  it("keeps the fields that its manifest has no word for", async () => {
    const cidr = "10.0.0.0/16";
    await plat("pool", "create", "web", "--cidr", cidr, "--principals", "token:red");
    await interrupt();
    const change = await dryRun(client(), {
      kind: POOL_RESOURCE,
      name: "web",
      body: { cidr, disabled: true },
      unsaid: ["cooldownSeconds", "principals"],
    });
    const left = [{ field: "principals", value: ["token:red"] }];
    expect(change).toMatchObject({ outcome: "created", changed: [], left, etag: undefined });
    await make(client(), change);
    const { body } = await client().call({ method: "GET", path: path`/v1/pools/web` });
    expect(body).toMatchObject({ disabled: true, principals: ["token:red"] });
    expect(body).not.toHaveProperty("state");
  });
});

describe("a change that was only tried", () => {
  it("is made over what somebody else created meanwhile", async () => {
    const change = await dryRun(client(), reservation("ours"));
    expect(change.outcome).toBe("created");
    await plat("reservation", "create", "gateways", "--cidr", "10.0.0.9", "--reason", "theirs");
    expect((await make(client(), change)).outcome).toBe("configured");
    expect((await plat("reservation", "get")).out).toContain("10.0.0.1   ours");
  });

  it("is made anew where it was deleted meanwhile", async () => {
    await plat("reservation", "create", "gateways", "--cidr", "10.0.0.9");
    const change = await dryRun(client(), reservation("ours"));
    expect(change.outcome).toBe("configured");
    await plat("reservation", "delete", "gateways");
    expect((await make(client(), change)).outcome).toBe("created");
  });

  it("is none where somebody else has made it meanwhile", async () => {
    const node = {
      kind: NODE_RESOURCE,
      name: "n1",
      body: { labels: { zone: "west" } },
      unsaid: [],
    };
    const [one, other] = [await dryRun(client(), node), await dryRun(client(), node)];
    expect((await make(client(), one)).outcome).toBe("created");
    expect((await make(client(), other)).outcome).toBe("unchanged");
  });
});
