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

  it("is applied from a file, and unchanged the second time", async () => {
    const stdin = JSON.stringify({ name: "all", requestsPerSecond: 100 });
    const apply = () => platWith({ stdin }, "quota", "apply", "-f", "-");
    expect((await apply()).out).toBe("quota/all created\n");
    expect((await apply()).out).toBe("quota/all unchanged\n");
  });
});
