import { describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { plat, space } = terminal();

describe("a space that has nothing", () => {
  it.each([
    ["pool get", "no pools."],
    ["node list", "no pools and no nodes."],
    ["namespace ls", "no pools and no namespaces."],
    ["reservation get", "no pools and no reservations."],
    ["job get", "no pools and no jobs."],
    ["block get", "no pools and no blocks."],
    ["block get --calico", "no pools and no blocks."],
    ["affinity get", "no pools and no affinities."],
    ["show", "no pools."],
    ["show --show-blocks", "no pools."],
    ["show --show-borrowed", "no pools and no borrowed addresses."],
    ["check", "no pools and no blocks."],
    ["export calico", "no pools and no blocks."],
    ["export csv", "no pools and no blocks."],
  ])("ends `plat %s` with 1 and says what is missing and what to do", async (line, what) => {
    const { exit, err } = await plat(...line.split(" "));
    expect(exit).toBe(1);
    expect(err).toBe(
      [
        `Error: Space "${space()}" has ${what}`,
        "  Create a pool with `plat pool create NAME --cidr CIDR`, or name another space with --space.",
        "  code: no_pools\n",
      ].join("\n"),
    );
  });

  it("still tells programs that its lists are empty", async () => {
    const { exit, out } = await plat("pool", "get", "-o", "json");
    expect({ exit, out: JSON.parse(out) }).toEqual({ exit: 1, out: { pools: [] } });
  });

  it("is read where what was asked for is there", async () => {
    expect((await plat("show", "--show-configuration")).exit).toBe(0);
  });
});

describe("an empty list of a space with pools", () => {
  it.each(["job get", "node get", "block get", "affinity get", "show --show-borrowed"])(
    "of `plat %s` is no error, and a note says that nothing was found",
    async (line) => {
      await plat("pool", "create", "web", "--cidr", "10.0.0.0/16");
      const { exit, err } = await plat(...line.split(" "));
      expect(exit).toBe(0);
      expect(err).toMatch(new RegExp(`^Note: no [a-z ]+ found in space "${space()}"\\.\\n$`));
    },
  );
});
