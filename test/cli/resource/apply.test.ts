import { describe, expect, it } from "vitest";
import { files } from "../file.ts";
import { minutes } from "../minutes.ts";
import { DRY_RUN, terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const { plat, platWith, server } = shell;
const { workAMinuteLater } = minutes(shell);
const file = files();

const applied = (stdin: string, ...more: readonly string[]) =>
  platWith({ stdin }, "pool", "apply", "-f", "-", ...more);

const done = (...lines: readonly string[]) => ({
  exit: 0,
  out: lines.map((line) => `${line}\n`).join(""),
  err: "",
});

/** What `apply` prints of one object: a line, and on stderr a note for each field that it changes or leaves. */
const noted = (line: string, ...notes: readonly string[]) => ({
  ...done(line),
  err: notes.map((note) => `Note: ${line.split(" ")[0]} ${note}\n`).join(""),
});

const pool = (name: string, cidr: string, spec: object = {}) => ({
  apiVersion: "projectcalico.org/v3",
  kind: "IPPool",
  metadata: { name },
  spec: { cidr, ...spec },
});

/** As kubectl prints it. */
const CALICO = `apiVersion: crd.projectcalico.org/v1
kind: IPPool
metadata:
  annotations:
    projectcalico.org/metadata: '{"creationTimestamp":null}'
  creationTimestamp: "2024-01-01T00:00:00Z"
  generation: 1
  name: default-ipv4
  resourceVersion: "756"
  uid: 5a1d4f1c-2c7c-4c68-9b0b-4f2b1a1c8f3e
spec:
  allowedUses:
  - Workload
  - Tunnel
  blockSize: 26
  cidr: 10.0.0.0/16
  ipipMode: Never
  natOutgoing: true
  nodeSelector: all()
  vxlanMode: CrossSubnet
`;

/** A pool of Spiderpool. Those of one subnet share its CIDR. */
const spiderPool = (name: string, ips: readonly string[]) => ({
  apiVersion: "spiderpool.spidernet.io/v2beta1",
  kind: "SpiderIPPool",
  metadata: { name },
  spec: { subnet: "10.9.0.0/24", ips },
});

const MIXED = `${CALICO}---
# nothing
---
apiVersion: v1
kind: List
items:
- apiVersion: projectcalico.org/v3
  kind: IPReservation
  metadata: {name: gateways}
  spec: {reservedCIDRs: [10.0.0.0/30, 10.0.1.0/30]}
- apiVersion: v1
  kind: Node
  metadata: {name: node-1, labels: {zone: west}, uid: x}
  status: {capacity: {cpu: "4"}}
- apiVersion: projectcalico.org/v3
  kind: Node
  metadata: {name: node-1}
- apiVersion: v1
  kind: Namespace
  metadata: {name: shop, labels: {tier: web}}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: kube-root-ca.crt}
`;

describe("plat pool apply", () => {
  it("creates a pool from a manifest as kubectl prints it, then finds it unchanged, then configures it", async () => {
    expect(await applied(CALICO)).toEqual(done("ippool/default-ipv4 created"));
    expect(await applied(CALICO)).toEqual(done("ippool/default-ipv4 unchanged"));
    const west = CALICO.replace("all()", `zone == "west"`);
    expect(await applied(west)).toEqual(
      noted("ippool/default-ipv4 configured", 'changes nodeSelector: all() -> zone == "west"'),
    );
    expect(await applied(west)).toEqual(done("ippool/default-ipv4 unchanged"));
    const { out } = await plat("pool", "get", "default-ipv4", "-o", "json");
    expect(JSON.parse(out)).toMatchObject({
      cidr: "10.0.0.0/16",
      nodeSelector: 'zone == "west"',
      routing: { vxlanMode: "CrossSubnet", natOutgoing: true },
    });
  });

  it("brings every kind where it belongs, and says on stderr what it ignores", async () => {
    expect(await applied(MIXED)).toEqual({
      exit: 0,
      out: `ippool/default-ipv4 created
ipreservation/gateways created
node/node-1 created
namespace/shop created
`,
      err: "Note: ignored Node node-1\nNote: ignored ConfigMap kube-root-ca.crt\n",
    });
    expect((await plat("node", "get")).out).toBe("NAME     LABELS\nnode-1   zone=west\n");
    expect((await plat("namespace", "get")).out).toBe("NAME   LABELS\nshop   tier=web\n");
    expect((await plat("reservation", "get")).out).toBe(
      "NAME       CIDRS                      REASON\ngateways   10.0.0.0/30, 10.0.1.0/30   <none>\n",
    );
    expect((await applied(MIXED)).out.match(/unchanged/g)).toHaveLength(4);
  });

  it("creates the pools of a subnet in one run, with the SpiderSubnet around them", async () => {
    const around = {
      ...spiderPool("around", ["10.9.0.10-10.9.0.99"]),
      kind: "SpiderSubnet",
    };
    const pools = [
      spiderPool("red", ["10.9.0.10-10.9.0.19"]),
      spiderPool("blue", ["10.9.0.20-10.9.0.29", "10.9.0.40"]),
    ];
    const items = [around, ...pools];
    const text = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    expect(await applied(text)).toEqual(
      done("ippool/around created", "ippool/red created", "ippool/blue created"),
    );
  });

  it("takes several files, in JSON and in YAML", async () => {
    const json = await file("a.json", JSON.stringify(pool("a", "10.1.0.0/16")));
    const yaml = await file("b.yaml", CALICO);
    expect(await plat("pool", "apply", "-f", json, "-f", yaml)).toEqual(
      done("ippool/a created", "ippool/default-ipv4 created"),
    );
  });

  it("with --dry-run says what would be done, and does nothing", async () => {
    const lines = { ...done("ippool/default-ipv4 created (dry run)"), err: DRY_RUN };
    expect(await applied(CALICO, "--dry-run")).toEqual(lines);
    expect(await applied(CALICO, "--dry-run")).toEqual(lines);
    expect((await plat("pool", "get")).out).toBe("NAME   CIDR   BLOCKSIZE   DISABLED\n");
  });

  it("takes what get prints, and then what is left out is left out", async () => {
    await plat("pool", "create", "a", "--cidr", "10.1.0.0/16", "--cooldown-seconds", "90");
    await plat("pool", "create", "b", "--cidr", "10.2.0.0/16");
    for (const format of ["json", "yaml"]) {
      const { out } = await plat("pool", "get", "-o", format);
      expect(await applied(out)).toEqual(done("ippool/a unchanged", "ippool/b unchanged"));
    }
    const { out } = await plat("pool", "get", "a", "-o", "yaml");
    expect(await applied(out.replace(/cooldownSeconds.*\n/, ""))).toEqual(
      noted("ippool/a configured", "changes cooldownSeconds: 90 -> none"),
    );
    expect((await plat("pool", "get", "a", "-o", "yaml")).out).not.toContain("cooldown");
  });
});

describe("plat pool apply of a pool that loses addresses", () => {
  const red = (range: string) =>
    JSON.stringify({ name: "red", cidr: "10.9.0.0/28", blockSize: 30, ranges: [range] });

  it("names the job that makes them free for other pools; applied again with --wait, it waits for it", async () => {
    await applied(red("10.9.0.0-10.9.0.5"));
    const narrow = red("10.9.0.0-10.9.0.3");
    const { exit, out, err } = await applied(narrow);
    expect({ exit, out }).toEqual({
      exit: 0,
      out: "ippool/red configured\n",
    });
    expect(err).toMatch(
      /^Note: ippool\/red changes ranges: \["10\.9\.0\.0-10\.9\.0\.5"\] -> \["10\.9\.0\.0-10\.9\.0\.3"\]\nNote: job shrink-\S+ frees the addresses that ippool\/red no longer has for other pools\.\n$/,
    );
    const [job = ""] = /shrink-\S+/.exec(err) ?? [];
    expect((await plat("job", "get")).out).toMatch(/^shrink-\S+ +pool\.shrink +red +running$/m);
    const waited = await platWith(
      { stdin: narrow, sleep: workAMinuteLater },
      ...["pool", "apply", "-f", "-", "--wait"],
    );
    expect(waited).toMatchObject({ exit: 0, out: `ippool/red unchanged\njob ${job} done\n` });
    expect((await applied(narrow)).err).toBe("");
  });
});

describe("plat pool apply, where something comes between what was looked at and what is written,", () => {
  const isWrite = (route: string, query: URLSearchParams) =>
    route.startsWith("PUT ") && !query.has("dryRun");

  it("writes the others, and says of each what became of it", async () => {
    const endpoint = await wayTo(server().url, async ({ route, query }) => {
      if (isWrite(route, query) && route.endsWith("/b"))
        await plat("pool", "create", "theirs", "--cidr", "10.2.128.0/17");
      return undefined;
    });
    const pools = ["a", "b", "c"].map((name, i) => ({ name, cidr: `10.${i + 1}.0.0/16` }));
    const { exit, out, err } = await platWith(
      { stdin: JSON.stringify({ pools }), env: { PLAT_ENDPOINT: endpoint } },
      ...["pool", "apply", "-f", "-"],
    );
    expect({ exit, out }).toEqual({ exit: 1, out: "ippool/a created\nippool/c created\n" });
    expect(err).toMatch(/^Error: ippool\/b: .* overlaps pool theirs.*\n {2}code: pool_overlap\n/s);
  });

  it("stops where it gets no answer; applied again, it goes on", async () => {
    const endpoint = await wayTo(server().url, async ({ route, query }) =>
      isWrite(route, query) && route.endsWith("/n1") ? "lost" : undefined,
    );
    const nodes = Array.from({ length: 20 }, (_, i) => ({ name: `n${i}`, labels: {} }));
    const stdin = JSON.stringify({ nodes });
    const cut = await platWith(
      { stdin, env: { PLAT_ENDPOINT: endpoint } },
      ...["node", "apply", "-f", "-"],
    );
    expect(cut.exit).toBe(3);
    expect(cut.out.match(/ created\n/g)).toHaveLength(7);
    expect(cut.err).toMatch(/^Error: node\/n1: .* does not answer: /);
    expect(cut.err).toMatch(/\nError: \d of 20 failed\. 12 more were not tried\.\n$/);
    // The request without an answer was carried out.
    const again = await platWith({ stdin }, "node", "apply", "-f", "-");
    expect(again.out.match(/ unchanged\n/g)).toHaveLength(8);
    expect(again.out.match(/ created\n/g)).toHaveLength(12);
  });
});

describe("plat pool apply writes nothing at all", () => {
  const nothingStands = async () =>
    expect((await plat("pool", "get", "-o", "json")).out).toBe('{\n  "pools": []\n}\n');

  it("where the API rejects something, and says all of it", async () => {
    const list = {
      apiVersion: "v1",
      kind: "List",
      items: [
        pool("good", "10.0.0.0/16"),
        pool("small", "10.1.0.0/28", { blockSize: 26 }),
        pool("odd", "10.2.0.0/16", { cidrs: [] }),
      ],
    };
    const { exit, out, err } = await applied(JSON.stringify(list));
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toMatch(
      /^Error: ippool\/small: spec\.blockSize must be from 28 to 32.*\n {2}code: invalid_request\n/s,
    );
    expect(err).toMatch(
      /\nError: ippool\/odd: spec\.cidrs is not a field here.*\n {2}code: invalid_request\n/s,
    );
    expect(err).toMatch(/\nError: \d+ of \d+ failed\. Nothing was written\.\n$/);
    await nothingStands();
  });

  it("where two new pools overlap, which each by itself does not", async () => {
    const text = [pool("a", "10.0.0.0/16"), pool("b", "10.0.128.0/17")]
      .map((one) => JSON.stringify(one))
      .join("\n---\n");
    expect(await applied(text)).toEqual({
      exit: 2,
      out: "",
      err: "Error: The pools a (10.0.0.0/16) and b (10.0.128.0/17) overlap.\n",
    });
    await nothingStands();
  });

  it("where two new ranged pools of one CIDR have the same address", async () => {
    const ranged = (name: string, ips: string) => spiderPool(name, [ips]);
    const text = JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [ranged("a", "10.9.0.10-10.9.0.20"), ranged("b", "10.9.0.20-10.9.0.30")],
    });
    expect(await applied(text)).toEqual({
      exit: 2,
      out: "",
      err: "Error: The pools a and b both have 10.9.0.20.\n",
    });
    await nothingStands();
  });

  it("where a file is not there, is not YAML, or has nothing for Plat", async () => {
    const missing = await plat("pool", "apply", "-f", "/nowhere/pools.yaml");
    expect(missing).toMatchObject({ exit: 2, out: "" });
    expect(missing.err).toMatch(/^Error: \/nowhere\/pools\.yaml cannot be read: ENOENT/);
    const broken = await applied(`${CALICO}---\na: [`);
    expect(broken).toMatchObject({ exit: 2, out: "" });
    expect(broken.err).toMatch(/^Error: stdin is neither JSON nor YAML: /);
    const dangling = await applied(`${CALICO}---\nkind: *gone\n`);
    expect(dangling).toMatchObject({ exit: 2, out: "" });
    expect(dangling.err).toMatch(/^Error: stdin is neither JSON nor YAML: Unresolved alias/);
    expect(await applied("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n")).toEqual({
      exit: 2,
      out: "",
      err: "Note: ignored Secret s\nError: - has no objects of a kind that Plat takes.\n",
    });
    await nothingStands();
  });

  it.each([
    [
      "a manifest without a name",
      "apiVersion: v1\nkind: Node\nmetadata: {}\n",
      "a manifest of kind Node without metadata.name",
    ],
    [
      "a manifest with an empty name",
      CALICO.replace("default-ipv4", '""'),
      "a manifest of kind IPPool without metadata.name",
    ],
    ["a document with an empty name", 'name: ""\ncidr: 10.0.0.0/16\n', "nor one of the pools as"],
    ["something without a kind or a name", "cidr: 10.0.0.0/16\n", "nor one of the pools as"],
    [
      "a list whose items are no array",
      "apiVersion: v1\nkind: List\nitems: 3\n",
      "items, but not as an array",
    ],
    [
      "a space, which only --space says",
      "name: main\ncidr: 10.0.0.0/16\nspace: blue\n",
      "the space of ippool/main; leave it out, and use --space",
    ],
    [
      "one thing twice",
      `${CALICO}---\n${CALICO}`,
      "ippool/default-ipv4 is described more than once",
    ],
    [
      "a reservation with fields that nobody knows",
      "apiVersion: projectcalico.org/v3\nkind: IPReservation\nmetadata: {name: r}\nspec: {cidrs: [10.0.0.1]}\n",
      "spec.cidrs; known is reservedCIDRs",
    ],
  ])("where a file has %s", async (_, text, said) => {
    const { exit, out, err } = await applied(text);
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toContain(said);
    await nothingStands();
  });

  it("where two files have nothing to apply", async () => {
    const { err } = await applied("", "-f", "/dev/null");
    expect(err).toBe("Error: - and /dev/null have no objects of a kind that Plat takes.\n");
  });

  it("where no server is listening, which it says once for many", async () => {
    const nodes = Array.from({ length: 500 }, (_, i) => ({ name: `n${i}`, labels: {} }));
    const env = { PLAT_ENDPOINT: "http://127.0.0.1:2" };
    const { exit, out, err } = await platWith(
      { stdin: JSON.stringify({ nodes }), env },
      ...["node", "apply", "-f", "-"],
    );
    expect({ exit, out }).toEqual({ exit: 3, out: "" });
    expect(err.match(/Nothing was sent/g)).toHaveLength(1);
    expect(err).toMatch(/\nError: \d+ of \d+ failed\. Nothing was written\.\n$/);
  });

  it("without a file", async () => {
    const { exit, err } = await plat("pool", "apply");
    expect(exit).toBe(2);
    expect(err).toContain("Required option '-f, --filename <file>' not specified");
  });
});
