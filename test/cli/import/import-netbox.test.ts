import { describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { call, platWith } = terminal();

const get = async (path: string) => (await call("GET", path)).body;
const withPool = () => call("PUT", "/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28 });
const importing = (entries: readonly object[], ...args: readonly string[]) =>
  importText(JSON.stringify({ count: entries.length, next: null, results: entries }), ...args);
const importText = (stdin: string, ...args: readonly string[]) =>
  platWith({ stdin }, "import", "netbox", "-f", "-", ...args);

/** An address as NetBox answers it; fields that no import reads are left out, but for one. */
const ipAddress = (id: number, address: string, fields: object = {}) => ({
  id,
  url: `https://netbox.example/api/ipam/ip-addresses/${id}/`,
  address,
  vrf: null,
  tenant: null,
  status: { value: "active", label: "Active" },
  role: null,
  assigned_object: null,
  dns_name: "",
  description: "",
  ...fields,
});

const ENTRIES = [
  ipAddress(1, "10.0.0.1/24", {
    tenant: { id: 7, slug: "red", name: "Red" },
    role: { value: "loopback", label: "Loopback" },
    assigned_object: { id: 3, name: "eth0", device: { id: 2, name: "rack-1" } },
    dns_name: "web.example",
  }),
  ipAddress(2, "10.0.0.17/24", {
    assigned_object: { id: 4, name: "net0", virtual_machine: { id: 9, name: "vm-1" } },
    status: { value: "deprecated", label: "Deprecated" },
  }),
  ipAddress(3, "10.0.0.33/24"),
];

describe("plat import netbox", () => {
  it("takes the addresses in use over, each with its machine and its tenant, and does nothing twice", async () => {
    await withPool();
    const rehearsed = await importing(ENTRIES, "--dry-run");
    expect(rehearsed).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/addresses +3 +0 +0 +0/),
    });
    expect((await get("/v1/addresses")).addresses).toEqual([]);
    expect((await importing(ENTRIES)).exit).toBe(0);
    expect(await get("/v1/addresses/10.0.0.1")).toMatchObject({
      handle: "netbox/ip-addresses/1",
      host: "rack-1",
      attributes: { tenant: "red", role: "loopback", dns_name: "web.example", interface: "eth0" },
    });
    expect(await get("/v1/addresses/10.0.0.17")).toMatchObject({
      host: "vm-1",
      attributes: { interface: "net0", status: "deprecated" },
    });
    expect(await get("/v1/blocks/10.0.0.32/28")).toMatchObject({
      host: "netbox",
      affinityType: "virtual",
    });
    expect((await importing(ENTRIES)).err).toContain("nothing was written");
    const more = [...ENTRIES, ipAddress(4, "10.0.0.2/24")];
    expect((await importing(more)).out).toMatch(/addresses +1 +0 +3 +0/);
  });

  it("leaves out what nothing uses, and other VRFs, and says how many", async () => {
    await withPool();
    const entries = [
      ipAddress(1, "10.0.0.1/24", { vrf: { id: 1, name: "blue" } }),
      ipAddress(2, "10.0.0.2/24", { status: { value: "reserved", label: "Reserved" } }),
      ipAddress(3, "10.0.0.3/24"),
    ];
    const { exit, err } = await importing(entries);
    expect(exit).toBe(0);
    expect(err).toContain("Note: Left out, because they are in other VRFs: 1.");
    expect(err).toContain("Note: Left out, because they are neither active nor deprecated: 1.");
    const { addresses } = await get("/v1/addresses");
    expect(addresses).toMatchObject([{ address: "10.0.0.3" }]);
    await importing(entries, "--vrf", "blue");
    expect((await get("/v1/addresses")).addresses).toHaveLength(2);
  });

  it("lists conflicts, and writes nothing: an address that NetBox has twice, or that no pool has", async () => {
    await withPool();
    const { exit, err } = await importing([
      ipAddress(1, "10.0.0.1/24"),
      ipAddress(2, "10.0.0.1/32"),
      ipAddress(3, "192.168.0.1/24"),
    ]);
    expect(exit).toBe(1);
    expect(err).toContain("is there twice: stdin, id 1, and stdin, id 2");
    expect(err).toContain("is in no pool");
    expect((await get("/v1/addresses")).addresses).toEqual([]);
  });

  it.each([
    ["no JSON", "x", "is not JSON"],
    ["another answer", '{"detail": "Invalid token"}', "is not an answer of NetBox"],
    ["one page of several", '{"next": "https://a/?offset=50", "results": []}', "?limit=0"],
    [
      "entries of another kind",
      '{"results": [{"id": 1, "prefix": "10.0.0.0/8"}]}',
      "address is required",
    ],
    ["a text that is no address", JSON.stringify([ipAddress(1, "10.0.0/24")]), "stdin, id 1"],
  ])("rejects %s", async (_, text, problem) => {
    const { exit, err } = await importText(text);
    expect(exit).toBe(2);
    expect(err).toContain(problem);
  });
});
