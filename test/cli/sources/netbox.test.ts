import { describe, expect, it } from "vitest";
import { files } from "../file.ts";
import { terminal } from "../terminal.ts";

const { call, plat, platWith } = terminal();
const file = files();

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
    expect((await importing(ENTRIES)).err).toContain("everything exists already");
    const more = [...ENTRIES, ipAddress(4, "10.0.0.2/24")];
    expect((await importing(more)).out).toMatch(/addresses +1 +0 +3 +0/);
  });

  // The shape is that of tests/fixtures/ipam/ip_addresses.json of netbox-community/pynetbox at fc305300.
  it("takes the answer of a NetBox before 2.7, with numbers for states and another name for the interface", async () => {
    await withPool();
    const old = (id: number, address: string, label: string) => ({
      ...{ id, family: 4, address, vrf: null, tenant: null, status: { value: id, label } },
      interface: { id: 12, device: { id: 2, name: "core-1" }, name: "lo0", connection: null },
      ...{ description: "", nat_inside: null, nat_outside: null, custom_fields: {} },
    });
    const entries = [old(1, "10.0.0.1/24", "Active"), old(2, "10.0.0.2/24", "Reserved")];
    expect((await importing(entries)).exit).toBe(0);
    expect((await get("/v1/addresses")).addresses).toMatchObject([
      { address: "10.0.0.1", host: "core-1", attributes: { interface: "lo0" } },
    ]);
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

  it("lists an address that no pool has as a conflict, and writes nothing", async () => {
    await withPool();
    const { exit, err } = await importing([
      ipAddress(1, "10.0.0.1/24"),
      ipAddress(3, "192.168.0.1/24"),
    ]);
    expect(exit).toBe(1);
    expect(err).toContain("is in no pool");
    expect((await get("/v1/addresses")).addresses).toEqual([]);
  });

  it("leaves out an address that no pool can have, such as one of a tunnel's ends, and imports the rest", async () => {
    await withPool();
    const tunnel = ipAddress(9, "169.254.7.1/30");
    const { exit, err } = await importing([...ENTRIES, tunnel, ipAddress(10, "fe80::1/64")]);
    expect(err).toContain(
      "Left out, because no pool can have them: 169.254.7.1 (stdin, id 9), fe80::1 (stdin, id 10).",
    );
    expect(exit).toBe(0);
    expect((await get("/v1/addresses")).addresses).toHaveLength(3);
  });

  it("takes an address that two devices share once, tells of the other entry, and imports the rest", async () => {
    await withPool();
    const vip = (id: number, device: string) =>
      ipAddress(id, "10.0.0.1/32", {
        role: { value: "vip", label: "VIP" },
        assigned_object: { id, name: "lo", device: { id, name: device } },
      });
    const entries = [vip(7, "lb-2"), vip(2, "lb-1"), ipAddress(3, "10.0.0.3/24")];
    const { exit, err } = await importing(entries);
    expect(exit).toBe(0);
    expect(err).toContain(
      "Note: Left out, because another entry has the same address: 10.0.0.1 (stdin, id 7; stdin, id 2 is taken).",
    );
    expect(await get("/v1/addresses/10.0.0.1")).toMatchObject({
      handle: "netbox/ip-addresses/2",
      host: "lb-1",
    });
    expect(await get("/v1/addresses/10.0.0.3")).toMatchObject({ state: "assigned" });
    expect((await importing(entries.toReversed())).err).toContain("everything exists already");
  });

  it("gives a device whose name no host can have another name, keeps its own as an attribute, and tells both", async () => {
    await withPool();
    const on = (id: number, name: string | null, display: string) => ({
      assigned_object: { id, name: "eth0", device: { id, name, display } },
    });
    const { exit, err } = await importing([
      ipAddress(1, "10.0.0.1/24", on(1, "core switch #1", "core switch #1")),
      ipAddress(2, "10.0.0.17/24", on(2, null, "ISR 1111-8P (2)")),
    ]);
    expect(exit).toBe(0);
    expect(err).toContain(
      'Note: Named otherwise, because no host can have such a name: "core switch #1" (core-switch--1), "ISR 1111-8P (2)" (ISR-1111-8P-(2)).',
    );
    expect(await get("/v1/addresses/10.0.0.1")).toMatchObject({
      host: "core-switch--1",
      attributes: { machine: "core switch #1", interface: "eth0" },
    });
    expect(await get("/v1/addresses/10.0.0.17")).toMatchObject({ host: "ISR-1111-8P-(2)" });
  });

  it("takes the pages of an answer from several files, and rejects some of them", async () => {
    await withPool();
    const page = (name: string, entries: readonly object[], next: string | null) =>
      file(name, JSON.stringify({ count: 3, next, results: entries }));
    const next = "https://netbox.example/api/ipam/ip-addresses/?offset=2";
    const first = await page("first.json", ENTRIES.slice(0, 2), next);
    const last = await page("last.json", ENTRIES.slice(2), null);
    const cut = await plat("import", "netbox", "-f", first);
    expect(cut.exit).toBe(2);
    expect(cut.err).toContain("is one page of several: 2 addresses of 3");
    const whole = await plat("import", "netbox", "-f", first, last);
    expect(whole.out).toMatch(/addresses +3 +0 +0 +0/);
  });

  it("rejects the last page without the first, and a page that is there twice in place of another", async () => {
    await withPool();
    const page = (name: string, entries: readonly object[], links: object) =>
      file(name, JSON.stringify({ count: 3, results: entries, ...links }));
    const next = "https://netbox.example/api/ipam/ip-addresses/?offset=2";
    const links = { next: null, previous: "https://netbox.example/api/ipam/ip-addresses/" };
    const last = await page("last.json", ENTRIES.slice(2), links);
    const alone = await plat("import", "netbox", "-f", last);
    expect(alone.exit).toBe(2);
    expect(alone.err).toContain("is one page of several: 1 address of 3");
    const first = await page("first.json", ENTRIES.slice(0, 2), { next });
    const again = await page("again.json", ENTRIES.slice(0, 2), { next });
    const twice = await plat("import", "netbox", "-f", first, again);
    expect(twice.exit).toBe(2);
    expect(twice.err).toContain("is one page of several: 2 addresses of 3");
    expect((await plat("import", "netbox", "-f", last, first, again)).exit).toBe(0);
  });

  it("cuts a description to the maximum of an attribute, and tells where", async () => {
    await withPool();
    const { err } = await importing([
      ipAddress(1, "10.0.0.1/24", { description: "x".repeat(2_000) }),
    ]);
    expect(err).toContain("Note: Cut to 1024 characters: description of 10.0.0.1.");
    const { attributes } = await get("/v1/addresses/10.0.0.1");
    expect(attributes.description).toBe("x".repeat(1_024));
  });

  it("cuts a description before a character that the maximum would halve", async () => {
    await withPool();
    const description = `${"x".repeat(1_023)}\u{1f600}`;
    expect((await importing([ipAddress(1, "10.0.0.1/24", { description })])).exit).toBe(0);
    const { attributes } = await get("/v1/addresses/10.0.0.1");
    expect(attributes.description).toBe("x".repeat(1_023));
  });

  it.each([
    ["no JSON", "x", "is not complete JSON"],
    ["a field twice", '{"results": [], "results": []}', "stdin: the field results is there more"],
    ["another answer", '{"detail": "Invalid token"}', "is not an answer of NetBox"],
    [
      "one page of several",
      '{"count": 9, "next": "https://a/?offset=50", "results": []}',
      "0 addresses of 9",
    ],
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
