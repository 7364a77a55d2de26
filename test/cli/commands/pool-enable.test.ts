import { beforeEach, describe, expect, it } from "vitest";
import { minutes } from "../minutes.ts";
import { terminal } from "../terminal.ts";

const shell = terminal();
const { plat, call } = shell;
const { workAMinuteLater } = minutes(shell);

beforeEach(async () => {
  await plat("pool", "create", "web", "--cidr", "10.0.0.0/24", "--cooldown-seconds", "90");
});

const pool = async () => JSON.parse((await plat("pool", "get", "web", "-o", "json")).out);
const assign = () => call("POST", "/v1/assign", { host: "n1", ipv4: 1, handle: "pod" });

describe("plat pool enable", () => {
  it("undoes a drain: the pool assigns again as before, and the job is cancelled", async () => {
    const before = await pool();
    await assign();
    const drain = await plat("pool", "drain", "web", "-o", "name");
    expect((await assign()).status).toBe(409);
    const enabled = await plat("pool", "enable", "web");
    expect(enabled.exit).toBe(0);
    expect(enabled.out).toMatch(/^ippool\/web enabled\nTakes effect everywhere by 20\S+\n$/);
    expect(enabled.err).toContain(`Note: this cancels job ${drain.out.trim()}.\n`);
    expect(await pool()).toEqual(before);
    expect((await assign()).status).toBe(200);
    await workAMinuteLater();
    const { out } = await plat("job", "get", drain.out.trim(), "-o", "jsonpath={.state}");
    expect(out).toBe("cancelled\n");
  });

  it("enables a pool that was created disabled, and says where nothing is to be done", async () => {
    await plat("pool", "create", "old", "--cidr", "10.1.0.0/24", "--disabled");
    expect(await plat("pool", "enable", "old")).toMatchObject({ exit: 0, err: "" });
    expect(await plat("pool", "enable", "old")).toEqual({
      exit: 0,
      out: "ippool/old is already enabled\n",
      err: "",
    });
  });

  it("is rejected for a pool that is being deleted, and for one that does not exist", async () => {
    await plat("pool", "delete", "web");
    const deleting = await plat("pool", "enable", "web");
    expect(deleting).toMatchObject({ exit: 1, out: "" });
    expect(deleting.err).toContain("pool_deleting");
    expect(await plat("pool", "enable", "nope")).toMatchObject({ exit: 1, out: "" });
  });
});
