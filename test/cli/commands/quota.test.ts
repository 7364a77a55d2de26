import { describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { plat, platWith } = terminal();

const ROLE = "arn:aws:iam::123456789012:role/ci";

describe("plat quota", () => {
  it("is created, shown and deleted", async () => {
    const created = await plat(
      ...["quota", "create", "ci", "--principal", ROLE, "--requests-per-second", "20"],
      ...["--addresses", "500", "--prefixes", "3", "--blocks", "40"],
    );
    expect(created).toEqual({ exit: 0, out: "quota/ci created\n", err: "" });
    await plat("quota", "create", "red", "--tenant", "red", "--requests-per-second", "5");
    const { out } = await plat("quota", "get");
    expect(out).toMatch(/^NAME +PRINCIPAL +TENANT +ADDRESSES +PREFIXES +BLOCKS +REQUESTS\/S\n/);
    expect(out).toContain(`ci     ${ROLE}   <none>   500         3          40       20\n`);
    expect(out).toMatch(/\nred +<none> +red +<none> +<none> +<none> +5\n/);
    expect((await plat("quota", "delete", "ci")).out).toBe('quota "ci" deleted\n');
  });

  it("shows how much of each maximum is used", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/24");
    await plat("quota", "create", "red", "--tenant", "red", "--addresses", "500", "--blocks", "4");
    await plat("assign", "--host", "n1", "--ipv4", "3", "--attribute", "tenant=red");
    const { exit, out } = await plat("quota", "usage", "red");
    expect({ exit, out }).toEqual({
      exit: 0,
      out: "LIMIT       USED   MAX\naddresses   3      500\nblocks      1      4\n",
    });
    await plat("quota", "create", "slow", "--tenant", "red", "--requests-per-second", "5");
    expect(await plat("quota", "usage", "slow")).toEqual({
      exit: 0,
      out: "LIMIT   USED   MAX\n",
      err: "Note: slow limits requests a second only, which are not counted over time.\n",
    });
  });

  it("is applied from a file, and unchanged the second time", async () => {
    const stdin = JSON.stringify({ name: "all", requestsPerSecond: 100 });
    const apply = () => platWith({ stdin }, "quota", "apply", "-f", "-");
    expect((await apply()).out).toBe("quota/all created\n");
    expect((await apply()).out).toBe("quota/all unchanged\n");
  });
});
