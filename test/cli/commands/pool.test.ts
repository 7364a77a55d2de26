import { describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { plat, platWith } = terminal();

describe("plat pool get", () => {
  it("shows the pools of the space as a table", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/16");
    expect(await plat("pool", "get")).toEqual({
      exit: 0,
      out: "NAME   CIDR          BLOCKSIZE   DISABLED\nweb    10.0.0.0/16   26          false\n",
      err: "",
    });
  });

  it("shows the state of a pool that is being deleted, in the list and alone", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/16");
    await plat("pool", "create", "old", "--cidr", "10.1.0.0/16");
    await plat("pool", "delete", "old", "--yes");
    expect((await plat("pool", "get")).out).toBe(
      [
        "NAME   CIDR          BLOCKSIZE   DISABLED   STATE",
        "old    10.1.0.0/16   26          false      deleting",
        "web    10.0.0.0/16   26          false      <none>",
        "",
      ].join("\n"),
    );
    expect((await plat("pool", "get", "old")).out).toMatch(/ STATE\nold .* deleting\n$/);
    expect((await plat("pool", "get", "web")).out).not.toContain("STATE");
  });

  it("says the problem's code of a pool that is not there, and exits with 1", async () => {
    const { exit, err } = await plat("pool", "get", "nope");
    expect(exit).toBe(1);
    expect(err).toMatch(/^Error: .*\n {2}code: not_found\n/s);
  });
});

describe("plat pool create", () => {
  it("creates a pool of some addresses of a network", async () => {
    await plat(
      ...["pool", "create", "red", "--cidr", "10.9.0.0/24", "--ranges", "10.9.0.9,10.9.0.2/31"],
      ...["--ranges", "10.9.0.4", "--excludes", "10.9.0.3", "--gateway", "10.9.0.1"],
      ...["--route", "dst=10.0.0.0/8,gw=10.9.0.1", "--route", "dst=10.8.0.0/16,gw=10.9.0.3"],
    );
    expect(JSON.parse((await plat("pool", "get", "red", "-o", "json")).out)).toMatchObject({
      ranges: ["10.9.0.2-10.9.0.4", "10.9.0.9"],
      excludes: ["10.9.0.3"],
      gateway: "10.9.0.1",
      routes: [
        { dst: "10.0.0.0/8", gw: "10.9.0.1" },
        { dst: "10.8.0.0/16", gw: "10.9.0.3" },
      ],
    });
    expect((await plat("pool", "get", "red", "-o", "wide")).out).toMatch(
      /10\.9\.0\.2-10\.9\.0\.4, /,
    );
  });

  it("creates a pool of a subnet with all that a machine needs, which apply takes", async () => {
    const created = await plat(
      ...["pool", "create", "lan", "--cidr", "10.1.0.0/25", "--kind", "subnet"],
      ...["--prefix-length", "24", "--gateway", "10.1.0.1", "--dns", "10.1.0.53,10.1.0.54"],
      ...["--domain", "example.org", "--vlan", "7", "--mtu", "9000", "--labels", "zone=a"],
    );
    expect(created).toEqual({ exit: 0, out: "ippool/lan created\n", err: "" });
    const { out } = await plat("pool", "get", "lan", "-o", "json");
    expect(JSON.parse(out)).toMatchObject({
      kind: "subnet",
      prefixLength: 24,
      gateway: "10.1.0.1",
      dns: ["10.1.0.53", "10.1.0.54"],
      domain: "example.org",
      vlan: 7,
      mtu: 9000,
      labels: { zone: "a" },
    });
    expect((await plat("pool", "get", "-o", "wide")).out).toMatch(/subnet +10\.1\.0\.1/);
    const applied = await platWith({ stdin: out }, "pool", "apply", "-f", "-");
    expect(applied.out).toBe("ippool/lan unchanged\n");
  });

  it.each(["10.0.0.0/8", "dst=10.0.0.0/8", "dst=,gw=10.9.0.1", "gw=1,dst=2,x=3"])(
    "rejects the route %s before it sends anything",
    async (route) => {
      const wrong = ["--cidr", "10.9.0.0/24", "--route", route];
      const { exit, err } = await plat("pool", "create", "red", ...wrong);
      expect(exit).toBe(2);
      expect(err).toContain("It must be dst=CIDR,gw=ADDRESS.");
    },
  );

  it("creates a pool, its settings in options of their names", async () => {
    const created = await plat(
      ...["pool", "create", "v6", "--cidr", "fd00:1::/64", "--block-size", "124"],
      ...["--allowed-uses", "Workload", "--assignment-mode", "Manual", "--disabled"],
      ...["--node-selector", "has(gpu)", "--namespace-selector", "all()"],
      ...["--borrowing", "forbidden", "--cooldown-seconds", "90"],
      ...["--pod-selector", "has(app)", "--node-names", "n1,n2", "--namespace-names", "shop"],
      ...["--networks", "ovs", "--networks", "kube-system/macvlan-100"],
      ...["--principals", "token:ci,arn:aws:iam::123456789012:role/ci"],
    );
    expect(created).toEqual({ exit: 0, out: "ippool/v6 created\n", err: "" });
    expect(JSON.parse((await plat("pool", "get", "v6", "-o", "json")).out)).toMatchObject({
      cidr: "fd00:1::/64",
      blockSize: 124,
      allowedUses: ["Workload"],
      assignmentMode: "Manual",
      disabled: true,
      nodeSelector: "has(gpu)",
      namespaceSelector: "all()",
      borrowing: "forbidden",
      cooldownSeconds: 90,
      podSelector: "has(app)",
      nodeNames: ["n1", "n2"],
      namespaceNames: ["shop"],
      networks: ["ovs", "kube-system/macvlan-100"],
      principals: ["token:ci", "arn:aws:iam::123456789012:role/ci"],
    });
  });

  it("creates a pool of prefixes, which the table shows as one", async () => {
    const options = ["--cidr", "10.0.0.0/16", "--assign", "prefixes"];
    expect((await plat("pool", "create", "pods", ...options)).exit).toBe(0);
    expect((await plat("pool", "get", "-o", "wide")).out).toMatch(
      /pods +10\.0\.0\.0\/16 +prefixes/,
    );
  });

  it("is rejected where the pool is there already", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/16");
    expect(await plat("pool", "create", "web", "--cidr", "10.0.0.0/16")).toEqual({
      exit: 1,
      out: "",
      err: "Error: ippool/web exists already.\n  Use `apply` to change it.\n  code: precondition_failed\n",
    });
  });

  it("says what an option may be, and sends nothing", async () => {
    const size = await plat("pool", "create", "web", "--cidr", "10.0.0.0/16", "--block-size", "x");
    expect(size.exit).toBe(2);
    expect(size.err).toContain("argument 'x' is invalid. It must be a whole number.");
    const rule = await plat("pool", "create", "web", "--cidr", "10.0.0.0/16", "--borrowing", "no");
    expect(rule.exit).toBe(2);
    expect(rule.err).toContain("Allowed choices are allowed, forbidden.");
    expect((await plat("pool", "get", "web")).exit).toBe(1);
  });
});
