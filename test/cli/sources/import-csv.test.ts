import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkTable } from "../../../src/nouns/contents/operations/check-table.ts";
import { person, terminal } from "../terminal.ts";

const { call, plat, platWith, server, space } = terminal();

const get = async (path: string) => (await call("GET", path)).body;
const withPool = () => call("PUT", "/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28 });
const importing = (stdin: string, ...args: readonly string[]) =>
  platWith({ stdin }, "import", "csv", "-f", "-", ...args);

const TABLE = `address,handle,host,attributes
10.0.0.1,vm-1,rack-1,owner=ops;note=a\\;b=c
10.0.0.2,vm-2,rack-2,
10.0.0.17,vm-1,rack-2,"owner=o,ps"
`;

describe("plat import csv", () => {
  it("takes addresses over; a block becomes the host's of its first line", async () => {
    await withPool();
    const { exit, out } = await importing(TABLE);
    expect(exit).toBe(0);
    expect(out).toMatch(/blocks +2 +0 +0 +0/);
    expect(out).toMatch(/addresses +3 +0 +0 +0/);
    expect(await get("/v1/addresses/10.0.0.1")).toMatchObject({
      handle: "vm-1",
      host: "rack-1",
      borrowed: false,
      attributes: { owner: "ops", note: "a;b=c" },
    });
    expect(await get("/v1/addresses/10.0.0.2")).toMatchObject({ host: "rack-2", borrowed: true });
    expect(await get("/v1/blocks/10.0.0.16/28")).toMatchObject({ host: "rack-2" });
    expect((await importing(TABLE)).err).toContain("everything exists already");
  });

  it("asks with its plan before, and writes nothing where the answer is no", async () => {
    await withPool();
    const { questions, ask } = person(false);
    const line = ["import", "csv", "-f", "-"];
    const { exit, out, err } = await platWith({ stdin: TABLE, ask }, ...line);
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(questions).toEqual([`Import this into space ${space()}?`]);
    expect(err).toMatch(/^KIND .*\naddresses +3 .*\nError: Cancelled: nothing was changed\.\n$/s);
    expect((await plat("block", "get", "-o", "name")).out).toBe("");
    const script = await platWith({ stdin: TABLE, ask: "no terminal" }, ...line);
    expect(script.exit).toBe(2);
    expect(script.err).toContain("Repeat it with --yes");
    const { exit: done } = await platWith({ stdin: TABLE, ask: "no terminal" }, ...line, "--yes");
    expect(done).toBe(0);
  });

  it("has a conflict for an address that the host of its block keeps for itself, and writes nothing", async () => {
    await withPool();
    const windows = { host: "node-1", hostReserved: { start: 3, end: 1 } };
    await call("POST", "/v1/assign", { ...windows, address: "10.0.0.3", handle: "pod" });
    for (const line of ["--dry-run", "--yes"]) {
      const { exit, err } = await importing(TABLE, line);
      expect(exit).toBe(1);
      expect(err).toContain(
        "10.0.0.1 (stdin, line 2) is kept by host node-1 for itself in block 10.0.0.0/28",
      );
    }
    expect(await get("/v1/addresses/10.0.0.17")).toMatchObject({ state: "free" });
  });

  it.each([
    ["a reserved address that cools", "release", "was released in Plat, and cools until"],
    ["a reserved address in quarantine", "conflict", "was reported as a conflict in Plat"],
  ])("has a conflict for %s, alone in its block", async (_, end, reason) => {
    await withPool();
    await call("POST", "/v1/assign", { host: "rack-1", address: "10.0.0.1", handle: "a" });
    await call("PUT", "/v1/reservations/gateway", { cidrs: ["10.0.0.1/32"] });
    if (end === "release") await call("POST", "/v1/release", { handle: "a" });
    else await plat("address", "conflict", "10.0.0.1", "--handle", "a");
    const { exit, err } = await importing(TABLE, "--dry-run");
    expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining(reason) });
  });

  it("names an address that is held for an application as what it is", async () => {
    const ranges = ["10.1.0.1-10.1.0.2"];
    await call("PUT", "/v1/pools/own", { cidr: "10.1.0.0/24", blockSize: 28, ranges });
    await call("PUT", "/v1/applications/shop/Deployment/web", {
      replicas: 2,
      addresses: { number: "2", pools: ["own"] },
    });
    const table = "address,handle,host,attributes\n10.1.0.1,vm-1,rack-1,\n";
    const { exit, err } = await importing(table);
    expect(exit).toBe(1);
    expect(err).toContain("10.1.0.1 (stdin, line 2) is held for an application in Plat");
  });

  it("frees what it took, line by line", async () => {
    await withPool();
    await importing(TABLE);
    const { exit, out } = await plat("export", "csv");
    expect(exit).toBe(0);
    expect(out).toBe(`address,handle,host,attributes,affinityType
10.0.0.1,vm-1,rack-1,note=a\\;b=c;owner=ops,
10.0.0.2,vm-2,rack-2,,
10.0.0.17,vm-1,rack-2,"owner=o,ps",
`);
    expect((await importing(out)).err).toContain("everything exists already");
  });

  it("gives an address of a virtual host to that, not to the machine of its name", async () => {
    await withPool();
    const request = { host: "lb", affinityType: "virtual", ipv4: 1, handle: "web" };
    await call("POST", "/v1/assign", request);
    await call("POST", "/v1/assign", { host: "lb", ipv4: 1, handle: "machine" });
    const { out } = await plat("export", "csv");
    const lines = out.trimEnd().split("\n").slice(1);
    expect(lines.map((line) => line.split(",").slice(1).join()).sort()).toEqual([
      "machine,lb,,",
      "web,lb,,virtual",
    ]);
    const env = { PLAT_SPACE: `${space()}-elsewhere` };
    const pool = ["pool", "create", "main", "--cidr", "10.0.0.0/24", "--block-size", "28"];
    expect((await platWith({ env }, ...pool)).exit).toBe(0);
    expect((await platWith({ env, stdin: out }, "import", "csv", "-f", "-")).exit).toBe(0);
    expect((await platWith({ env }, "export", "csv")).out).toBe(out);
  });

  it("has a conflict for an address of a virtual host that the table gives to the machine of its name", async () => {
    await withPool();
    const address = "10.0.0.1";
    await call("POST", "/v1/assign", { host: "lb", affinityType: "virtual", address, handle: "a" });
    const { exit, err } = await importing("address,handle,host\n10.0.0.1,a,lb\n");
    expect(exit).toBe(1);
    expect(err).toContain("is at lb of the affinity type virtual in Plat, not host");
    const same = "address,handle,host,affinityType\n10.0.0.1,a,lb,virtual\n";
    expect((await importing(same)).err).toContain("everything exists already");
  });

  it("takes what an export wrote as it is, with blanks at its ends", async () => {
    await withPool();
    const [handle, attributes] = [" vm 1 ", { " owner ": " ops ", note: " " }];
    await call("POST", "/v1/assign", { host: "h", address: "10.0.0.1", handle, attributes });
    const { out } = await plat("export", "csv");
    expect((await importing(out)).err).toContain("everything exists already");
    const elsewhere = { PLAT_SPACE: `${space()}-elsewhere` };
    const pool = join(tmpdir(), "plat-csv-pool.json");
    await writeFile(
      pool,
      JSON.stringify({ pools: [{ name: "main", cidr: "10.0.0.0/24", blockSize: 28 }] }),
    );
    expect((await platWith({ env: elsewhere }, "pool", "apply", "-f", pool)).exit).toBe(0);
    expect((await platWith({ env: elsewhere, stdin: out }, "import", "csv", "-f", "-")).exit).toBe(
      0,
    );
    expect((await platWith({ env: elsewhere }, "export", "csv")).out).toBe(out);
  });

  it("reads a header with blanks in it", async () => {
    await withPool();
    expect((await importing("address, Handle , host\n10.0.0.1,a,b\n")).exit).toBe(0);
  });

  it("takes an IPv4-mapped address for its IPv4 address, and both for one", async () => {
    await withPool();
    const mapped = "address,handle,host\n::ffff:10.0.0.1,a,b\n";
    expect((await importing(mapped)).exit).toBe(0);
    expect(await get("/v1/addresses/10.0.0.1")).toMatchObject({ handle: "a" });
    const { exit, err } = await importing(`${mapped}10.0.0.1,a,b\n`);
    expect(exit).not.toBe(0);
    expect(err).toContain("10.0.0.1");
  });

  it("leaves a block that stands to its owner", async () => {
    await withPool();
    await call("POST", "/v1/nodes/other/affinities", { cidr: "10.0.0.0/28" });
    expect((await importing(TABLE)).exit).toBe(0);
    expect(await get("/v1/addresses/10.0.0.1")).toMatchObject({ host: "rack-1", borrowed: true });
  });

  it("takes the addresses of a host over that are in more blocks than the limit allows", async () => {
    await call("PUT", "/v1/pools/wide", { cidr: "10.2.0.0/16", blockSize: 28 });
    const { maxBlocksPerHost } = await get("/v1/config");
    const all = [...Array(maxBlocksPerHost + 2).keys()];
    const lines = all.map((i) => `10.2.${i}.5,vm-${i},rack-1\n10.2.${i}.6,vm-${i},rack-2\n`);
    const table = `address,handle,host\n${lines.join("")}`;
    const { exit, out } = await importing(table);
    expect(exit).toBe(0);
    expect(out).toMatch(new RegExp(`blocks +${all.length} +0 +0 +0`));
    const { blocks } = await get("/v1/blocks");
    expect(blocks).toHaveLength(all.length);
    expect(new Set(blocks.map(({ host }: { host: string }) => host))).toEqual(new Set(["rack-1"]));
    expect(await get("/v1/config")).toMatchObject({ maxBlocksPerHost });
    expect((await importing(table)).err).toContain("everything exists already");
  });

  it("takes addresses of pools with ranges over, whose blocks have no host, and does nothing twice", async () => {
    const cidr = "10.1.0.0/24";
    await call("PUT", "/v1/pools/red", { cidr, ranges: ["10.1.0.10-10.1.0.19"] });
    await call("PUT", "/v1/pools/blue", { cidr, ranges: ["10.1.0.20-10.1.0.29"] });
    const table = "address,handle,host\n10.1.0.10,a,n1\n10.1.0.29,b,n2\n";
    const { exit, out } = await importing(table);
    expect(exit).toBe(0);
    expect(out).toMatch(/addresses +2 +0 +0 +0/);
    expect((await get("/v1/addresses")).addresses).toMatchObject([
      { address: "10.1.0.10", pool: "red", host: "n1" },
      { address: "10.1.0.29", pool: "blue", host: "n2" },
    ]);
    expect((await importing(table)).err).toContain("everything exists already");
  });

  it("writes nothing if a pool with ranges excludes an address, or serves only whom it names", async () => {
    const cidr = "10.1.0.0/24";
    const red = { cidr, ranges: ["10.1.0.10-10.1.0.19"], excludes: ["10.1.0.12"] };
    await call("PUT", "/v1/pools/red", red);
    await call("PUT", "/v1/pools/blue", { cidr, ranges: ["10.1.0.29"], nodeNames: ["n9"] });
    const { exit, err } = await importing(
      "address,handle,host\n10.1.0.11,a,n1\n10.1.0.12,b,n1\n10.1.0.29,c,n1\n",
    );
    expect(exit).toBe(1);
    expect(err).toContain("address 10.1.0.12 (stdin, line 3) is in no pool");
    expect(err).toContain("pool blue has ranges and serves only whom nodeNames names in Plat");
    expect((await get("/v1/addresses")).addresses).toEqual([]);
  });

  it("takes addresses of a pool with ranges over under strict affinity, which binds no pool with ranges", async () => {
    await call("PUT", "/v1/config", { strictAffinity: true });
    await call("PUT", "/v1/pools/red", { cidr: "10.1.0.0/24", ranges: ["10.1.0.10-10.1.0.19"] });
    const { exit, err } = await importing("address,handle,host\n10.1.0.10,a,n1\n10.1.0.11,b,n2\n");
    expect({ exit, err }).toMatchObject({ exit: 0 });
    expect(await get("/v1/config")).toMatchObject({ strictAffinity: true });
  });

  it("takes addresses of virtual hosts over where hosts must be registered, and none of an unknown machine", async () => {
    await withPool();
    await call("PUT", "/v1/config", { requireRegisteredHosts: true });
    const table = "address,handle,host,affinityType\n10.0.0.1,a,lb,virtual\n";
    const { err } = await importing(`${table}10.0.0.17,b,n1,\n`);
    expect(err).toContain("1 conflict; nothing was written.");
    expect(err).toContain("host n1 is not registered");
    expect(await importing(table)).toMatchObject({ exit: 0 });
    expect(await get("/v1/addresses/10.0.0.1")).toMatchObject({ host: "lb", handle: "a" });
  });

  it("writes nothing if a pool does not serve the caller", async () => {
    await withPool();
    await call("PUT", "/v1/pools/red", { cidr: "10.1.0.0/24", principals: ["token:red"] });
    const table = "address,handle,host\n10.0.0.1,a,n1\n10.1.0.10,b,n1\n";
    const { exit, err } = await importing(table, "--dry-run");
    expect(exit).toBe(1);
    expect(err).toContain("1 conflict; nothing was written.");
    expect(err).toContain(
      "pool red does not serve a request without a principal (principals token:red) in Plat, but the import would assign addresses in it",
    );
    expect((await importing("address,handle,host\n10.0.0.1,a,n1\n")).exit).toBe(0);
  });

  it("takes addresses of a pool that is a prefix of another over, and none of prefixes", async () => {
    await call("PUT", "/v1/pools/region", {
      cidr: "10.0.0.0/8",
      assign: "prefixes",
      blockSize: 16,
    });
    await call("POST", "/v1/prefixes", { handle: "c7", cidr: "10.7.0.0/16" });
    await call("PUT", "/v1/pools/c7", { cidr: "10.7.0.0/16", parent: "region" });
    expect((await importing("address,handle,host\n10.7.0.1,a,n1\n")).exit).toBe(0);
    expect(await get("/v1/addresses/10.7.0.1")).toMatchObject({ pool: "c7", host: "n1" });
    const { exit, err } = await importing("address,handle,host\n10.8.0.1,b,n1\n", "--dry-run");
    expect(exit).toBe(1);
    expect(err).toContain(
      "address 10.8.0.1 (stdin, line 2) is in pool region of Plat, which assigns prefixes and no addresses",
    );
  });

  it("rejects as a whole what another has, what is there twice and what is in no pool, by line", async () => {
    await withPool();
    await call("POST", "/v1/assign", { host: "h", address: "10.0.0.1", handle: "other" });
    const before = await checkTable(server().context);
    const { exit, err } = await importing(
      `${TABLE}10.0.0.2,vm-3,rack-1,\n10.9.0.1,vm-4,rack-1,\n10.0.0.3,vm-5,rack 1,\n10.0.0.4,vm?6,rack-1,\n10.0.0.5,vm-7,rack#1,\n10.0.0.6,vm-8,rack-1,note=${"x".repeat(1_025)}\n`,
    );
    expect(exit).toBe(1);
    expect(err).toContain("address 10.0.0.1 (stdin, line 2) is assigned to handle other in Plat");
    expect(err).toContain("address 10.0.0.2 occurs twice: stdin, line 3, and stdin, line 5");
    expect(err).toContain("address 10.9.0.1 (stdin, line 6) is in no pool");
    expect(err).toContain("has a host that Plat does not take (stdin, line 7)");
    const noPath = "must not contain ?, % or #, because no path can contain them";
    expect(err).toContain(`has a handle that Plat does not take (stdin, line 8): handle ${noPath}`);
    expect(err).toContain(`has a host that Plat does not take (stdin, line 9): host ${noPath}`);
    expect(err).toContain("(stdin, line 10): attributes.note must ");
    expect(await checkTable(server().context)).toEqual(before);
  });

  it.each([
    ["", "stdin is empty; its first line must name the columns address,handle,host,attributes"],
    [
      "\n\r\n",
      "stdin is empty; its first line must name the columns address,handle,host,attributes",
    ],
    ["address,handle,host\n", "- has no objects of a kind that Plat takes"],
    [
      "host,handle\n",
      'begins with the columns "host,handle"; they must be address,handle,host,attributes,affinityType',
    ],
    ["address,handle,host,mac\n", 'begins with the columns "address,handle,host,mac"'],
    ["address,handle,host,host\n", "each once"],
    ["address,handle,host\n10.0.0.300,a,b\n", 'stdin, line 2: address "10.0.0.300" is not an IPv4'],
    ["address,handle,host\n\n10.0.0.1,,b\n", "stdin, line 3: handle is missing"],
    ["address,handle,host\n10.0.0.1,a,\n", "stdin, line 2: host is missing"],
    ["address,handle,host,attributes\n10.0.0.1,a,b,x=1;x=2\n", "attributes names x twice"],
    [
      "address,handle,host,affinitytype\n10.0.0.1,a,b,machine\n",
      'affinityType is "machine"; it must be host or virtual, and is host if it is empty',
    ],
    [
      "address,handle,host,attributes\n10.0.0.1,a,b,x=1\n10.0.0.2,a,b,x=1\\\n",
      "stdin, line 3: attributes ends with a backslash",
    ],
    ["address,handle,host\n10.0.0.1,a\n", "stdin cannot be read as CSV"],
    ['address,handle,host\n10.0.0.1,"a,b\n', "stdin cannot be read as CSV"],
  ])("rejects %j", async (table, reason) => {
    const { exit, err } = await importing(table);
    expect(err).toContain(reason);
    expect(exit).toBe(2);
  });
});
