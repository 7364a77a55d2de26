import { beforeEach, describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { plat } = terminal();

const WIDTH_MAX = 80;
const HOST = "worker-12";

beforeEach(async () => {
  await plat("pool", "create", "default-ipv4", "--cidr", "10.244.0.0/16", "--disabled");
  await plat("pool", "enable", "default-ipv4");
  await plat("pool", "create", "default-ipv6", "--cidr", "fd00:10:244::/64");
  const both = ["--ipv4", "1", "--ipv6", "1"];
  await plat("assign", "--host", HOST, ...both, "--handle", "web-0", "--attribute", "pod=web-0");
  await plat("reservation", "create", "gateways", "--cidr", "10.244.0.0/30,10.244.255.252/30");
});

const lastOf = async (line: string) =>
  (await plat(...line.split(" "), "-o", "name")).out.trim().split("\n").at(-1) ?? "";

describe("a table in a pipe", () => {
  it.each([
    ["assign --host worker-12 --ipv4 1 --ipv6 1 --handle web-1", "POOL"],
    ["assign --host worker-13 --ipv6 1 --dry-run", "POOL"],
    ["pool get", "NAME"],
    ["block get", "POOL"],
    ["block get --host worker-12", "POOL"],
    ["affinity get", "POOL"],
    ["affinity get --host worker-12", "POOL"],
    ["handle get web-0", "POOL"],
    ["show", "POOL"],
    ["show --show-blocks", "POOL"],
    ["show --show-borrowed", "IP"],
    ["reservation get", "NAME"],
    ["check --show-all-ips", "ADDRESS"],
    ["release --handle web-0", "ADDRESS"],
    ["pool drain default-ipv4 --yes", "POOL"],
  ])("of `plat %s` fits 80 columns, and has the column %s", async (line, header) => {
    const { exit, out } = await plat(...line.split(" "));
    expect(exit).toBe(0);
    expect(out).toMatch(new RegExp(`(^| )${header}( |$)`, "m"));
    expect(out.split("\n").filter((one) => one.length > WIDTH_MAX)).toEqual([]);
  });

  it("of one IPv6 block and one IPv6 address fits as well", async () => {
    for (const line of [
      `block get ${await lastOf("block get")}`,
      `address get ${await lastOf("handle get web-0")}`,
    ]) {
      const { out } = await plat(...line.split(" "));
      expect(out).toContain("POOL");
      expect(out.split("\n").filter((one) => one.length > WIDTH_MAX)).toEqual([]);
    }
  });
});
