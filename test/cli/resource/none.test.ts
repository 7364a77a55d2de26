import { describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { plat, server, space } = terminal();

describe("a space that has nothing", () => {
  const ADVICE =
    "  Create a pool with `plat pool create NAME --cidr CIDR`, or name another space with --space.\n";

  it.each([
    ["pool get", "no pools.", "pools"],
    ["node list", "no pools and no nodes.", "nodes"],
    ["namespace ls", "no pools and no namespaces.", "namespaces"],
    ["reservation get", "no pools and no reservations.", "reservations"],
    ["job get", "no pools and no jobs.", "jobs"],
    ["host get", "no pools and no hosts.", "hosts"],
    ["handle get", "no pools and no handles.", "handles"],
    ["address get", "no pools and no addresses.", "addresses"],
    ["block get", "no pools and no blocks.", "blocks"],
    ["block get --calico", "no pools and no blocks.", "items"],
    ["affinity get", "no pools and no affinities.", "affinities"],
    ["show", "no pools.", "pools"],
    ["show --show-blocks", "no pools.", "pools"],
    ["show --show-borrowed", "no pools and no borrowed addresses.", "borrowed"],
  ])(
    "answers `plat %s` with an empty document, and notes what is missing",
    async (line, what, list) => {
      const { exit, out, err } = await plat(...line.split(" "), "-o", "json");
      expect(exit).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ [list]: [] });
      expect(err).toBe(`Note: Space "${space()}" has ${what}\n${ADVICE}`);
    },
  );

  it.each([
    ["check", "no pools and no blocks."],
    ["export calico", "no pools and no blocks."],
    ["export csv", "no pools and no blocks."],
  ])("ends `plat %s` with 1, because nothing would pass for a good result", async (line, what) => {
    const { exit, err } = await plat(...line.split(" "));
    expect(exit).toBe(1);
    expect(err).toBe(`Error: Space "${space()}" has ${what}\n${ADVICE}  code: no_pools\n`);
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

describe("a name that does not exist", () => {
  it.each([
    "pool get web",
    "node get node-1",
    "quota get red",
    "handle get web-0",
    "block get 10.0.0.0/26",
    "address get 10.0.0.1",
    "job get drain-web",
    "pool delete web --yes",
    "node delete node-1 --yes",
    "quota delete red --yes",
  ])("is an error of `plat %s`, and none with --ignore-not-found", async (line) => {
    const words = line.split(" ");
    expect(await plat(...words)).toMatchObject({ exit: 1, out: "" });
    expect(await plat(...words, "--ignore-not-found")).toEqual({ exit: 0, out: "", err: "" });
  });

  it("stays an error with --ignore-not-found if the path of the endpoint is wrong", async () => {
    const endpoint = ["--endpoint", `${server().url}/stage`, "--ignore-not-found"];
    for (const words of [
      ["pool", "get", "web"],
      ["pool", "delete", "web", "--yes"],
    ])
      expect(await plat(...words, ...endpoint)).toMatchObject({
        exit: 1,
        out: "",
        err: expect.stringContaining("Error: There is no route GET /stage/version.\n"),
      });
  });

  it("stays an error with --ignore-not-found if another rejection has the reason", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/16");
    await plat("assign", "--host", "node-1", "--ipv4", "1", "--handle", "web-0");
    const { exit, err } = await plat("pool", "delete", "web", "--yes", "--ignore-not-found");
    expect(exit).toBe(1);
    expect(err).toContain("code: pool_in_use");
  });
});
