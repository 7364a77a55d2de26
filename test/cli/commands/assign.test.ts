import { describe, expect, it } from "vitest";
import { spaceWithPool } from "../space.ts";
import { DRY_RUN, terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const { plat, platWith, call } = shell;
const pool = spaceWithPool(shell);

/** Runs a command, and parses its output as a program does. */
const json = async (...args: readonly string[]) => {
  const { exit, out, err } = await plat(...args, "-o", "json");
  expect({ exit, err }).toEqual({ exit: 0, err: "" });
  return JSON.parse(out);
};

describe("plat assign", () => {
  it("prints the addresses as a table, with the pool and the handle", async () => {
    await pool();
    const { exit, out, err } = await plat(
      "assign",
      "--host",
      "n1",
      "--address",
      "10.0.0.9",
      "--handle",
      "web-0",
    );
    expect({ exit, out, err }).toEqual({
      exit: 0,
      out: "ADDRESS    POOL   HANDLE   BORROWED\n10.0.0.9   main   web-0    false\n",
      err: "",
    });
  });

  it("assigns nothing where the format is none", async () => {
    await pool();
    for (const format of ["jsno", "custom-columns=A", "custom-columns=A:.b[", "=", "wide,json"]) {
      const { exit, out, err } = await plat("assign", "--host", "n1", "--ipv4", "1", "-o", format);
      expect({ format, exit, out }).toEqual({ format, exit: 2, out: "" });
      expect(err).toMatch(/^Error: -o /);
    }
    expect((await call("GET", "/v1/blocks")).body.blocks).toEqual([]);
  });

  it("says under -o wide until when an address is leased, and its generation", async () => {
    await pool();
    const { out } = await plat(
      "assign",
      "--host",
      "n1",
      "--ipv4",
      "1",
      "--lease-seconds",
      "60",
      "-o",
      "wide",
    );
    const [headers = ""] = out.split("\n");
    expect(headers.split(/ {2,}/)).toEqual([
      ...["ADDRESS", "POOL", "HANDLE", "BORROWED", "BLOCK", "EXPIRES", "GENERATION"],
    ]);
    expect(out).toMatch(/ 20\d\d-\S+Z {3}g1\.\S+\n$/);
  });

  it("hands every field of the request over", async () => {
    await pool();
    await pool("six", { cidr: "fd00::/112", blockSize: 124 });
    await plat("assign", "--host", "other", "--ipv4", "1", "--handle", "h");
    const assigned = await json(
      "assign",
      ...["--host", "lb", "--affinity-type", "virtual", "--ipv4", "2", "--ipv6", "1"],
      ...["--handle", "web", "--attribute", "pod=web-0", "--attribute", "note=a=b"],
      ...["--use", "Workload", "--pool", "main", "--pool", "six", "--namespace", "shop"],
      ...["--allow-partial", "--max-blocks-per-host", "2", "--limit-per-handle", "3"],
      ...["--lease-seconds", "600", "--host-reserved-start", "3", "--host-reserved-end", "1"],
      ...["--host-reserved-handle", "w", "--host-reserved-note", "windows"],
    );
    expect(assigned).toMatchObject({
      handle: "web",
      requested: 3,
      hostReserved: { start: 3, end: 1, handle: "w", note: "windows" },
    });
    const [first] = assigned.addresses;
    expect(assigned.addresses).toHaveLength(3);
    expect(first).toHaveProperty("expiresAt");
    const { body } = await call("GET", `/v1/addresses/${first.address}`);
    expect(body.attributes).toEqual({ pod: "web-0", note: "a=b" });
    expect((await call("GET", `/v1/blocks/${first.block}`)).body).toMatchObject({
      host: "lb",
      affinityType: "virtual",
      hostReservation: { start: 3, end: 1 },
    });
  });

  it("assigns an address of each family that --address names twice, or none", async () => {
    await pool();
    await pool("six", { cidr: "2001:db8::/64" });
    const named = (...addresses: readonly string[]) => [
      ...["assign", "--host", "n1"],
      ...addresses.flatMap((address) => ["--address", address]),
    ];
    const assigned = await json(...named("2001:db8::9", "10.0.0.9"));
    expect(assigned.addresses).toMatchObject([{ address: "10.0.0.9" }, { address: "2001:db8::9" }]);
    const { exit, err } = await plat(...named("10.0.0.9", "2001:db8::8"));
    expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining("already_assigned") });
    expect((await call("GET", "/v1/addresses/2001:db8::8")).body.state).toBe("free");
  });

  it("assigns to each interface from its pools, and prints which address is whose", async () => {
    await pool();
    await pool("storage", { cidr: "10.9.0.0/24", assignmentMode: "Manual" });
    const interfaces = [
      ...["--interface", "name=eth0,ipv4=1"],
      ...["--interface", "name=net1,ipv4=1,pool=lan-*,pool=storage,default-pool=main"],
    ];
    const assigned = await json("assign", "--host", "n1", ...interfaces);
    expect(assigned.addresses).toMatchObject([
      { interface: "eth0", pool: "main" },
      { interface: "net1", pool: "storage" },
    ]);
    const { out } = await plat("assign", "--host", "n1", ...interfaces);
    expect(out).toMatch(/^ADDRESS +INTERFACE +POOL /);
    expect(out).toMatch(/ net1 +storage /);
    const dry = await plat("assign", "--host", "n1", ...interfaces, "--dry-run");
    expect(dry.out).toMatch(/^Interface net1, IPv4: 1 wanted \(rule: pools\)$/m);
  });

  it.each([
    ["without a name", "ipv4=1", "It must have a name"],
    ["of an unknown part", "name=eth0,mtu=9000", "It has mtu, which is none of"],
    ["with a count that is none", "name=eth0,ipv4=some", "ipv4 must be a whole number"],
    ["with a part twice", "name=eth0,name=eth1", "It names name twice"],
  ])("rejects an interface %s", async (_, text, message) => {
    const { exit, err } = await plat("assign", "--host", "n1", "--interface", text);
    expect(exit).toBe(2);
    expect(err).toContain(message);
  });

  it("under the same key answers the same addresses, and under its own keys others each time", async () => {
    await pool();
    const again = ["assign", "--host", "n1", "--ipv4", "1", "--idempotency-key", "k"];
    const once = await json(...again);
    expect((await json(...again)).addresses).toEqual(once.addresses);
    const others = ["assign", "--host", "n1", "--ipv4", "1"];
    expect((await json(...others)).addresses).not.toEqual((await json(...others)).addresses);
  });

  it("takes no second address where the answer was lost on its way, and asks again by itself", async () => {
    await pool();
    let asked = 0;
    const url = await wayTo(shell.server().url, async () => (asked++ === 0 ? "lost" : undefined));
    const { exit, out } = await plat(
      "assign",
      "--host",
      "n1",
      "--ipv4",
      "1",
      "--endpoint",
      url,
      "-o",
      "json",
    );
    expect(exit).toBe(0);
    expect(asked).toBe(2);
    const { body } = await call("GET", `/v1/blocks/${JSON.parse(out).addresses[0].block}`);
    expect(body.inUse).toBe(1);
  });

  const askAgain = (endpoint: string) =>
    plat(
      ...["assign", "--host", "n1", "--ipv4", "1", "--idempotency-key", "again"],
      ...["--endpoint", endpoint],
    );

  it("tells the key to go on with where a request got no answer", async () => {
    const { exit, err } = await askAgain(await wayTo(shell.server().url, async () => "lost"));
    expect(exit).toBe(3);
    expect(err).toContain(
      "The request may have succeeded. Repeat the command with --idempotency-key again: it assigns nothing twice.",
    );
  });

  it.each([
    ["plat assign", "POST /v1/assign", ["assign", "--host", "n1", "--ipv4", "1"]],
    ["plat prefix assign", "POST /v1/prefixes", ["prefix", "assign", "red", "--family", "4"]],
  ])(
    "tells the key to go on with where Ctrl-C ends %s before its answer",
    async (_, route, line) => {
      await pool();
      await pool("wide", { cidr: "10.64.0.0/16", assign: "prefixes", blockSize: 24 });
      let press: (() => void) | undefined;
      const interrupt = (act: (() => void) | undefined) => {
        press = act;
      };
      const endpoint = await wayTo(shell.server().url, async (met) => {
        if (met.route === route) press?.();
        return undefined;
      });
      const { exit, out, err } = await platWith({ interrupt }, ...line, "--endpoint", endpoint);
      expect({ exit, out, press }).toEqual({ exit: 130, out: "", press: undefined });
      const [, key = ""] =
        /^Error: Interrupted\.\n {2}The request may have succeeded\. Repeat the command with --idempotency-key (\S+):/.exec(
          err,
        ) ?? [];
      expect(key).not.toBe("");
      const again = await plat(...line, "--idempotency-key", key);
      expect(again).toMatchObject({ exit: 0, err: "" });
      expect(await plat(...line, "--idempotency-key", key)).toEqual(again);
    },
  );

  it.each(["", "a\nb", "€"])("rejects the key %j, which no header can carry", async (key) => {
    const { exit, out, err } = await plat(
      ...["assign", "--host", "n1", "--ipv4", "1", "--idempotency-key", key],
    );
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toContain("is invalid. It must be printable ASCII characters.");
  });

  it("says in a note that a part is missing", async () => {
    await pool("tiny", { cidr: "10.9.0.0/30", blockSize: 30 });
    const { exit, err } = await plat(
      ...["assign", "--host", "n1", "--ipv4", "5", "--pool", "tiny", "--allow-partial"],
    );
    expect(exit).toBe(0);
    expect(err).toMatch(/^Note: 4 of 5 addresses are assigned\. .+\n$/);
  });

  it("says that nothing was sent where no server is listening", async () => {
    const { exit, err } = await askAgain("http://127.0.0.1:2");
    expect(exit).toBe(3);
    expect(err).toContain("Nothing was sent.");
    expect(err).not.toContain("may be assigned");
  });

  it("says on stderr why fewer were assigned than were asked for", async () => {
    await pool("small", { cidr: "10.1.0.0/30", blockSize: 30 });
    const { exit, out, err } = await plat(
      "assign",
      "--host",
      "n1",
      "--ipv4",
      "8",
      "--allow-partial",
    );
    expect(exit).toBe(0);
    expect(out.trim().split("\n")).toHaveLength(1 + 4);
    expect(err).toMatch(/4 of 8/);
  });

  it("is rejected with the problem's code", async () => {
    await pool();
    await plat("assign", "--host", "n1", "--address", "10.0.0.1");
    const { exit, out, err } = await plat("assign", "--host", "n2", "--address", "10.0.0.1");
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toMatch(/^Error: .*\n {2}code: already_assigned\n/s);
  });

  it.each([
    [["assign", "--ipv4", "1"], "Required option '--host <host>'"],
    [["assign", "--host", "n1", "--ipv4", "many"], "It must be a whole number."],
    [["assign", "--host", "n1", "--attribute", "pod"], "It must be key=value."],
    [["assign", "--host", "n1", "--attribute", "a=1", "--attribute", "a=2"], "It names a twice."],
    [["assign", "--host", "n1", "--affinity-type", "pod"], "Allowed choices are host, virtual."],
  ])("%j is a slip of the line, and nothing is sent", async (line, problem) => {
    const { exit, err } = await platWith({ env: { PLAT_ENDPOINT: "http://127.0.0.1:9" } }, ...line);
    expect(exit).toBe(2);
    expect(err).toContain(problem);
  });
});

describe("plat assign where no pool can serve it", () => {
  it("names a dry run, which explains each pool", async () => {
    await pool("off", { cidr: "10.1.0.0/24", disabled: true });
    const { exit, err } = await plat("assign", "--host", "n1", "--ipv4", "1");
    expect(exit).toBe(1);
    expect(err).toContain("  `plat pool get` lists the pools.\n  code: no_pool_available\n");
    expect(err).toMatch(/\n {2}The same command with --dry-run explains each pool\.\n$/);
  });
});

describe("plat assign --dry-run", () => {
  it("explains pool by pool, and block by block, and writes nothing", async () => {
    await pool("main", { cidr: "10.0.0.0/28", blockSize: 28 });
    await pool("off", { cidr: "10.1.0.0/24", disabled: true });
    const { exit, out, err } = await plat("assign", "--host", "n1", "--ipv4", "3", "--dry-run");
    expect({ exit, err }).toEqual({ exit: 0, err: DRY_RUN });
    expect(out).toBe(
      [
        "IPv4: 3 wanted (rule: automatic)",
        "",
        "POOL   CIDR          SERVES   ORDER   SCORE   WHY NOT",
        "main   10.0.0.0/28   yes      1       0",
        "off    10.1.0.0/24   no                       disabled: is disabled",
        "",
        "BLOCK         POOL   ADDRESSES   HOW",
        "10.0.0.0/28   main   3           it is free, and the host would claim it",
        "",
      ].join("\n"),
    );
    expect((await call("GET", "/v1/blocks")).body.blocks).toEqual([]);
  });

  it("tells a rejection as the request would be told it, family by family, and ends as it would", async () => {
    await pool("main", { cidr: "10.0.0.0/28", blockSize: 28 });
    const { exit, out, err } = await plat(
      "assign",
      "--host",
      "n1",
      "--ipv4",
      "1",
      "--ipv6",
      "1",
      "--dry-run",
    );
    expect(exit).toBe(1);
    expect(err.replace(DRY_RUN, "")).toMatch(/^Error: .*\n {2}code: no_pool_available\n/s);
    expect(out).toContain("IPv6: 1 wanted (rule: automatic)\n");
    expect(out).toContain("Rejected, no_pool_available: ");
  });

  it("tells a rejection once where one family is asked for", async () => {
    await pool("off", { cidr: "10.1.0.0/24", disabled: true });
    const { exit, out, err } = await plat("assign", "--host", "n1", "--ipv4", "1", "--dry-run");
    expect(exit).toBe(1);
    expect(err.replace(DRY_RUN, "")).toMatch(/^Error: .*\n {2}code: no_pool_available\n/s);
    expect(out).toBe(
      [
        "IPv4: 1 wanted (rule: automatic)",
        "",
        "POOL   CIDR          SERVES   ORDER   SCORE   WHY NOT",
        "off    10.1.0.0/24   no                       disabled: is disabled",
        "",
      ].join("\n"),
    );
  });

  it("is for programs what the API said", async () => {
    await pool("main", { cidr: "10.0.0.0/28", blockSize: 28 });
    const line = ["assign", "--host", "n1", "--ipv4", "1", "--dry-run", "-o", "json"];
    const { out } = await plat(...line);
    expect(JSON.parse(out)).toMatchObject({
      dryRun: true,
      families: [{ family: 4, blocks: [{ action: "claim", count: 1 }] }],
    });
  });
});
