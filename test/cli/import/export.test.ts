import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { affinityName } from "../../../src/cli/calico/names.ts";
import { clusterOf, listText } from "../cluster.ts";
import { normalised } from "../normalised.ts";
import { terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const { call, plat, platWith, server, space } = terminal();

it("an export is YAML that can be imported elsewhere, and comes out of there the same", async () => {
  await platWith({ stdin: listText(clusterOf(2, 30)) }, "import", "calico", "-f", "-");
  const { exit, out } = await plat("export", "calico");
  expect(exit).toBe(0);
  const elsewhere = { env: { PLAT_SPACE: `${space()}-elsewhere` } };
  const imported = await platWith({ ...elsewhere, stdin: out }, "import", "calico", "-f", "-");
  expect(imported.exit).toBe(0);
  const again = await platWith(elsewhere, "export", "calico", "-o", "json");
  expect(normalised(JSON.parse(again.out).items)).toEqual(normalised(parse(out).items));
});

it("an export finds the space as it is that it came from", async () => {
  await call("PUT", "/v1/pools/web", { cidr: "10.1.0.0/24" });
  const { out } = await plat("export", "calico");
  const { exit, out: told } = await platWith(
    { stdin: out },
    ...["import", "calico", "-f", "-", "--dry-run", "-o", "json"],
  );
  expect(exit).toBe(0);
  expect(JSON.parse(told).counts).toMatchObject({
    pools: { change: 0, unchanged: 1 },
    configuration: { change: 0, unchanged: 1 },
  });
});

it("an export of pools with ranges finds them as they are, and what was released since is assigned again", async () => {
  const both = { cidr: "10.1.0.0/24", cooldownSeconds: 0 };
  await call("PUT", "/v1/pools/red", { ...both, ranges: ["10.1.0.70-10.1.0.79"] });
  const blue = { ...both, ranges: ["10.1.0.90-10.1.0.99"], podSelector: 'app == "b"' };
  await call("PUT", "/v1/pools/blue", blue);
  const on = { host: "node-1", attributes: { node: "node-1" }, labels: { app: "b" } };
  await call("POST", "/v1/assign", { ...on, address: "10.1.0.70", handle: "web" });
  await call("POST", "/v1/assign", { ...on, address: "10.1.0.90", handle: "api" });
  const { out } = await plat("export", "calico");
  const importing = () => platWith({ stdin: out }, "import", "calico", "-f", "-");
  expect((await importing()).err).toContain("everything exists already");
  await call("POST", "/v1/release", { handle: "web" });
  expect((await importing()).out).toMatch(/addresses +1 +0 +1 +0/);
  expect((await call("GET", "/v1/addresses/10.1.0.70")).body).toMatchObject({ handle: "web" });
  await call("POST", "/v1/release", { handle: "api" });
  const bound = await importing();
  expect(bound.exit).toBe(1);
  expect(bound.err).toContain(
    "pool blue has ranges and serves only whom podSelector names in Plat",
  );
  expect((await call("GET", "/v1/pools/blue")).body).toMatchObject(blue);
});

it("an export of nothing is a list of the configuration alone", async () => {
  const { out } = await plat("export", "calico", "-o", "yaml");
  expect(parse(out)).toMatchObject({
    apiVersion: "v1",
    kind: "List",
    items: [
      {
        kind: "IPAMConfig",
        metadata: { name: "default" },
        spec: { ipCooldownSeconds: 30, strictAffinity: false },
      },
    ],
  });
  expect((await plat("export", "csv")).out).toBe("address,handle,host,attributes,affinityType\n");
});

it("pools of prefixes are in no export, which says so", async () => {
  await call("PUT", "/v1/pools/pods", { cidr: "10.0.0.0/16", assign: "prefixes" });
  await call("PUT", "/v1/pools/web", { cidr: "10.1.0.0/16" });
  await call("POST", "/v1/nodes/node-1/pod-cidrs", { uid: "a" });
  const err = expect.stringContaining("Note: pools of prefixes are left out: pods.");
  const calico = await plat("export", "calico", "-o", "json");
  expect(calico).toMatchObject({ exit: 0, err });
  expect(JSON.parse(calico.out).items.map(({ kind }: { kind: string }) => kind)).toEqual([
    "IPPool",
    "IPAMConfig",
  ]);
  expect(await plat("export", "csv")).toMatchObject({
    out: "address,handle,host,attributes,affinityType\n",
    err,
  });
});

it("pools for applications are in no export, which says so", async () => {
  await call("PUT", "/v1/pools/main", { cidr: "10.1.0.0/24" });
  await call("PUT", "/v1/pools/subnet", {
    ...{ cidr: "10.2.0.0/24", ranges: ["10.2.0.1-10.2.0.9"], assignmentMode: "Applications" },
  });
  const addresses = { number: "2", pools: ["subnet"] };
  await call("PUT", "/v1/applications/shop/Deployment/web", { replicas: 2, addresses });
  const { exit, out, err } = await plat("export", "calico");
  expect(exit).toBe(0);
  expect(err).toContain("Note: pools for applications are left out: subnet.");
  expect(err).not.toContain("pool subnet is written");
  const items: readonly { kind: string; metadata: { name: string } }[] = parse(out).items;
  expect(items.filter(({ kind }) => kind === "IPPool").map((one) => one.metadata.name)).toEqual([
    "main",
  ]);
  expect(items.filter(({ kind }) => kind === "IPAMBlock")).toEqual([]);
});

it("an address in another host's block keeps its host, also without the attribute node", async () => {
  await call("PUT", "/v1/pools/main", { cidr: "10.1.0.0/24" });
  await call("PUT", "/v1/pools/set", { cidr: "10.2.0.0/24", ranges: ["10.2.0.1-10.2.0.9"] });
  await call("POST", "/v1/assign", { host: "node-1", address: "10.1.0.1", handle: "own" });
  await call("POST", "/v1/assign", { host: "node-2", address: "10.1.0.2", handle: "borrowed" });
  await call("POST", "/v1/assign", { host: "node-3", address: "10.2.0.1", handle: "set" });
  const { out } = await plat("export", "calico", "-o", "json");
  const blocks = JSON.parse(out).items.filter(({ kind }: { kind: string }) => kind === "IPAMBlock");
  const attributes = blocks.flatMap(
    ({ spec }: { spec: { attributes: object[] } }) => spec.attributes,
  );
  expect(attributes).toEqual([
    { handle_id: "own" },
    { handle_id: "borrowed", secondary: { node: "node-2" } },
    { handle_id: "set", secondary: { node: "node-3" } },
  ]);
});

it("a reserved range is written as the networks that it is", async () => {
  await call("PUT", "/v1/reservations/kept", {
    cidrs: ["10.0.0.3-10.0.0.9", "10.1.0.0/24", "10.2.0.1"],
  });
  const { out } = await plat("export", "calico", "-o", "json");
  const [, { kind, spec }] = JSON.parse(out).items;
  expect(kind).toBe("IPReservation");
  expect(spec.reservedCIDRs).toEqual([
    ...["10.0.0.3/32", "10.0.0.4/30", "10.0.0.8/31"],
    ...["10.1.0.0/24", "10.2.0.1"],
  ]);
});

it("says what is missing: whose addresses are, and what cannot be read", async () => {
  const block = { cidr: "10.0.0.0/28", pool: "main", host: "n1", inUse: 1 };
  const url = await wayTo(server().url, async ({ route }) => {
    if (route === "GET /v1/blocks") return { blocks: [block] };
    if (route === "GET /v1/contents")
      return { contents: { unreadable: [{ key: "BLOCK#x#10.0.0.16", reason: "" }] } };
    const claimedAt = "2026-03-01T09:00:00.000Z";
    const addresses = [{ address: "10.0.0.1", state: "assigned" }];
    return route.startsWith("GET /v1/blocks/") ? { ...block, claimedAt, addresses } : undefined;
  });
  for (const form of ["calico", "csv"]) {
    const { exit, err } = await plat("export", form, "--endpoint", url);
    expect(exit).toBe(0);
    expect(err).toBe(
      [
        "Note: addresses without a known owner, because their allocations were not found: 1. See plat check.",
        "Note: items of the space that cannot be read, and were left out: 1. See plat check.",
        "",
      ].join("\n"),
    );
  }
});

it("names each pool and its fields that Calico's IPPool does not have", async () => {
  await call("PUT", "/v1/pools/plain", { cidr: "10.0.0.0/24", nodeSelector: "has(gpu)" });
  await call("PUT", "/v1/pools/red", {
    cidr: "10.9.0.0/24",
    ranges: ["10.9.0.10-10.9.0.20"],
    excludes: ["10.9.0.12"],
    gateway: "10.9.0.1",
    routes: [{ dst: "10.0.0.0/8", gw: "10.9.0.1" }],
    podSelector: "has(app)",
    nodeNames: ["n1"],
    namespaceNames: ["shop"],
    networks: ["ovs"],
    principals: ["token:ci"],
    cooldownSeconds: 7,
  });
  const { exit, out, err } = await plat("export", "calico", "-o", "json");
  expect(exit).toBe(0);
  expect(JSON.parse(out).items[1].metadata.name).toBe("red");
  expect(err).toBe(
    "Note: pool red is written without cooldownSeconds, excludes, gateway, namespaceNames, networks, nodeNames, podSelector, principals, ranges, routes, because an IPPool has no such fields.\n",
  );
});

it("another format is rejected", async () => {
  const { exit, err } = await plat("export", "calico", "-o", "xml");
  expect(err).toContain('-o is "xml"; it must be');
  expect(exit).toBe(2);
});

it("an affinity is named by host and block; a long name is cut and told apart", () => {
  expect(affinityName("host:node-1", "10.0.0.0/26")).toBe("node-1-10-0-0-0-26");
  const [a, b] = ["a", "b"].map((last) =>
    affinityName(`host:${"n".repeat(250)}${last}`, "2001:db8::/122"),
  );
  expect(a).toMatch(/^n+-2001-db8---122-[0-9a-f]{11}$/);
  expect(a?.length).toBeLessThanOrEqual(253);
  expect(a).not.toBe(b);
});

describe("plat export csv of names that a spreadsheet would execute", () => {
  const HANDLES = ['=HYPERLINK("http://x.example")', "+1", "-1", "@SUM(A1)", "a=1"];
  const assigned = async () => {
    await call("PUT", "/v1/pools/main", { cidr: "10.0.0.0/24" });
    for (const [at, handle] of HANDLES.entries())
      await call("POST", "/v1/assign", {
        ...{ host: "-n1", address: `10.0.0.${at}`, handle, attributes: { "+a": "1" } },
      });
  };

  it("has them as they are, so that an import finds the same", async () => {
    await assigned();
    const { out } = await plat("export", "csv");
    for (const handle of HANDLES) expect(out).toContain(handle.replaceAll('"', '""'));
    expect(out).not.toContain("'");
    const imported = await platWith({ stdin: out }, "import", "csv", "-f", "-", "--dry-run");
    expect(imported.exit).toBe(0);
  });

  it("with --escape-formulas has an apostrophe before each such cell", async () => {
    await assigned();
    const { exit, out } = await plat("export", "csv", "--escape-formulas");
    expect(exit).toBe(0);
    const [header, ...lines] = out.trimEnd().split("\n");
    expect(header).toBe("address,handle,host,attributes,affinityType");
    expect(lines).toEqual([
      `10.0.0.0,"'=HYPERLINK(""http://x.example"")",'-n1,'+a=1,`,
      "10.0.0.1,'+1,'-n1,'+a=1,",
      "10.0.0.2,'-1,'-n1,'+a=1,",
      "10.0.0.3,'@SUM(A1),'-n1,'+a=1,",
      "10.0.0.4,a=1,'-n1,'+a=1,",
    ]);
  });
});
