import { beforeEach, describe, expect, it } from "vitest";
import { DRY_RUN, terminal } from "../terminal.ts";

const { plat } = terminal();

beforeEach(async () => {
  await plat("pool", "create", "web", "--cidr", "10.0.0.0/24", "--block-size", "26");
  await plat("pool", "create", "six", "--cidr", "fd00::/64");
  await plat("assign", "--host", "n1", "--address", "10.0.0.1", "--handle", "a");
  await plat("assign", "--host", "n2", "--address", "10.0.0.65", "--handle", "b");
});

describe("-o name", () => {
  it.each([
    ["pool get", "six\nweb\n"],
    ["pool get web", "web\n"],
    ["block get", "10.0.0.0/26\n10.0.0.64/26\n"],
    ["block get 10.0.0.0/26", "10.0.0.0/26\n"],
    ["affinity get --host n1", "10.0.0.0/26\n"],
    ["handle get a", "10.0.0.1\n"],
    ["address get 10.0.0.2", "10.0.0.2\n"],
    ["show", "six\nweb\n"],
    ["show --show-blocks", "six\nweb\n10.0.0.0/26\n10.0.0.64/26\n"],
    ["show --ip 10.0.0.1", "10.0.0.1\n"],
    ["assign --host n1 --address 10.0.0.3 --handle c", "10.0.0.3\n"],
    ["assign --host n1 --ipv4 1 --dry-run", "10.0.0.0/26\n"],
    ["affinity ensure --host n1 --family 4", "10.0.0.0/26\n"],
    ["affinity release --all --host n2", "10.0.0.64/26\n"],
    ["release --ip 10.0.0.1", "10.0.0.1\n"],
    ["check", ""],
  ])("of `plat %s` prints what other commands take, one on each line", async (line, out) => {
    const err = line.includes("--dry-run") ? DRY_RUN : "";
    expect(await plat(...line.split(" "), "-o", "name")).toEqual({ exit: 0, out, err });
  });
});

describe("-o jsonpath", () => {
  it("looks into what -o json prints", async () => {
    const print = async (line: string, template: string) =>
      (await plat(...line.split(" "), "-o", `jsonpath=${template}`)).out;
    expect(await print("pool get web", "{.cidr}")).toBe("10.0.0.0/24\n");
    expect(await print("pool get", "{.pools[*].name}")).toBe("six web\n");
    expect(await print("block get 10.0.0.0/26", "{.addresses[0].handle}")).toBe("a\n");
    expect(await print("show --ip 10.0.0.65", ".host")).toBe("n2\n");
  });
});

describe("-o", () => {
  it("names every format where it is none of them", async () => {
    const { exit, err } = await plat("pool", "get", "-o", "xml");
    expect(exit).toBe(2);
    for (const format of ["wide", "name", "json", "yaml", "jsonpath=", "custom-columns="])
      expect(err).toContain(format);
  });
});
