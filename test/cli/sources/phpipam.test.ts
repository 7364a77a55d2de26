import { describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { call, platWith } = terminal();

const get = async (path: string) => (await call("GET", path)).body;
const withPool = () => call("PUT", "/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28 });
const importing = (stdin: string, ...args: readonly string[]) =>
  platWith({ stdin }, "import", "phpipam", "-f", "-", ...args);

/** The columns of phpIPAM's export of addresses, and a column of its administrator. */
const EXPORT = `Section,IP Address,Hostname,Description,VRF,Subnet,MAC,Owner,Device,Note,Tag,Gateway,rack_unit
Customers,10.0.0.1,gw.example,,default,10.0.0.0/24,,,core sw 1,,Used,Yes,1
Customers,10.0.0.2,web.example,"Web, old",default,10.0.0.0/24,00:00:5e:00:53:02,ops,,,Offline,No,
Customers,10.0.0.17,,,default,10.0.0.0/24,,,rack-1,,,No,
Customers,10.0.0.4,,,default,10.0.0.0/24,,,,,Reserved,No,
Customers,10.0.0.5,,,default,10.0.0.0/24,,,,,DHCP,No,
Customers,10.0.0.6,,,blue,10.0.0.0/24,,,,,Used,No,
,,,,,,,,,,,,
`;

describe("plat import phpipam", () => {
  it("takes the addresses in use over, each with its device, and does nothing twice", async () => {
    await withPool();
    const rehearsed = await importing(EXPORT, "--dry-run");
    expect(rehearsed.out).toMatch(/addresses +3 +0 +0 +0/);
    expect((await get("/v1/addresses")).addresses).toEqual([]);
    const { exit, err } = await importing(EXPORT);
    expect(exit).toBe(0);
    expect(err).toContain("Left out, because they are in other VRFs: 1.");
    expect(err).toContain("Left out, because their tag is Reserved or DHCP: 2.");
    expect(err).toContain("Left out, because phpIPAM has no such columns: rack_unit.");
    expect(await get("/v1/addresses/10.0.0.1")).toMatchObject({
      handle: "phpipam/10.0.0.1",
      host: "core-sw-1",
      attributes: {
        section: "Customers",
        hostname: "gw.example",
        gateway: "true",
        machine: "core sw 1",
      },
    });
    expect(await get("/v1/addresses/10.0.0.2")).toMatchObject({
      host: "phpipam",
      attributes: { description: "Web, old", owner: "ops", state: "offline" },
    });
    expect((await importing(EXPORT)).err).toContain("everything exists already");
  });

  it("takes the addresses of one VRF", async () => {
    await withPool();
    expect((await importing(EXPORT, "--vrf", "blue")).exit).toBe(0);
    expect((await get("/v1/addresses")).addresses).toMatchObject([{ address: "10.0.0.6" }]);
  });

  it.each([
    [
      "semicolons, and lines of semicolons only",
      "\uFEFFip_addr;hostname;state\r\n10.0.0.1;a, b;2\r\n;;\r\n10.0.0.2;;3\r\n;;\r\n",
    ],
    [
      "the name of a subnet above the columns",
      'Rack 1\n10.0.0.0/24\n"vlan: 7 - web"\n\nip address,ip state,hostname\n10.0.0.1,Used,"a, b"\n10.0.0.2,Reserved,\n',
    ],
    ["tabulators", "ip\thostname\ttag\n10.0.0.1\ta, b\tUsed\n10.0.0.2\t\tDHCP\n"],
    ["lines without their last columns", 'hostname,ip,tag\n"a, b",10.0.0.1\n'],
  ])("reads a table with %s", async (_, table) => {
    await withPool();
    expect((await importing(table)).exit).toBe(0);
    const { addresses } = await get("/v1/addresses");
    expect(addresses).toMatchObject([{ address: "10.0.0.1", attributes: { hostname: "a, b" } }]);
  });

  it("takes Active, as older versions call it, for Used", async () => {
    await withPool();
    expect((await importing("ip address,ip state\n10.0.0.1,Active\n")).exit).toBe(0);
    expect((await get("/v1/addresses/10.0.0.1")).attributes ?? {}).not.toHaveProperty("state");
  });

  it("takes an address that two subnets have once, and tells of the other line", async () => {
    await withPool();
    const { exit, err } = await importing("ip,subnet\n10.0.0.1,10.0.0.0/24\n10.0.0.1,10.0.0.0/8\n");
    expect(exit).toBe(0);
    expect(err).toContain("10.0.0.1 (stdin, line 3; stdin, line 2 is taken)");
  });

  it.each([
    ["hostname,mac\na,b\n", 'one of them must be "IP Address", ip_addr or ip'],
    ["ip,ip_addr\n10.0.0.1,10.0.0.2\n", "has two columns for the address: ip and ip_addr"],
    ["ip,hostname\n10.0.0,a\n", 'stdin, line 2: address "10.0.0" is not an IPv4'],
    ['ip,hostname\n10.0.0.1,"a\n', "stdin cannot be read as CSV"],
  ])("rejects %j", async (table, reason) => {
    const { exit, err } = await importing(table);
    expect(err).toContain(reason);
    expect(exit).toBe(2);
  });
});
