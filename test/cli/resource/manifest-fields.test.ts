import { readFile } from "node:fs/promises";
import type * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { namespaceRead, poolRead } from "../../../src/contract/answers.ts";
import { PLAT_FIELDS } from "../../../src/contract/manifest-fields.ts";
import { DRY_RUN, terminal } from "../terminal.ts";

const { plat, platWith, call } = terminal();

type Pool = v.InferOutput<typeof poolRead>;
type PoolField = Exclude<keyof Pool, "name" | "state" | "job">;

/** A value of each field that no manifest of these tests says. A field that is missing here is a type error. */
const SAMPLES: { readonly [Field in PoolField]: Pool[Field] } = {
  cidr: "10.0.1.0/24",
  assign: "addresses",
  parent: "top",
  blockSize: 28,
  disabled: true,
  assignmentMode: "Automatic",
  allowedUses: ["Tunnel"],
  nodeSelector: 'zone == "west"',
  namespaceSelector: 'team == "a"',
  podSelector: 'app == "old"',
  nodeNames: ["n1", "n2"],
  namespaceNames: ["shop"],
  networks: ["net-a"],
  principals: ["token:ci"],
  borrowing: "forbidden",
  cooldownSeconds: 7,
  ranges: ["10.0.1.8-10.0.1.90"],
  excludes: ["10.0.1.20"],
  kind: "subnet",
  prefixLength: 23,
  gateway: "10.0.1.3",
  routes: [{ dst: "10.8.0.0/16", gw: "10.0.1.2" }],
  dns: ["10.0.0.53"],
  domain: "example.org",
  vlan: 7,
  mtu: 9_000,
  labels: { tier: "gold" },
  routing: { natOutgoing: true },
  description: "of the old cluster",
  tags: ["old", "west"],
};
const POOL_FIELDS = Object.keys(SAMPLES) as PoolField[];

interface Form {
  readonly kind: string;
  readonly apiVersion: string;
  readonly spec: object;
  /** The fields that the manifest says, as the API returns them; undefined if it says that there is none. */
  readonly says: Partial<Readonly<Record<PoolField, unknown>>>;
  /** What a pool of this kind needs, beside the field that is tried. */
  readonly base: Partial<Pool>;
  /** The fields, or values of them, that a pool of this kind cannot have. */
  readonly impossible: readonly PoolField[];
}

/** More than the samples, so that no job has to make anything free. */
const RANGES = ["10.0.1.8-10.0.1.99"];
const NONE_BUT_RANGES = {
  ...{ cidr: SAMPLES.cidr, assign: "addresses", ranges: RANGES, excludes: undefined },
  ...{ gateway: undefined, routes: undefined, vlan: undefined },
};
const spiderpool = { apiVersion: "spiderpool.spidernet.io/v2beta1" };
const SET_SPEC = { subnet: SAMPLES.cidr, ips: RANGES };

const FORMS: readonly Form[] = [
  {
    kind: "IPPool",
    apiVersion: "projectcalico.org/v3",
    spec: { cidr: SAMPLES.cidr, blockSize: 28, assignmentMode: "Manual" },
    says: {
      ...{ cidr: SAMPLES.cidr, assign: "addresses", blockSize: 28, disabled: false },
      ...{ assignmentMode: "Manual", allowedUses: ["Workload", "Tunnel"] },
      ...{ nodeSelector: undefined, namespaceSelector: undefined, routing: undefined },
    },
    base: { blockSize: 28 },
    impossible: [],
  },
  {
    kind: "SpiderIPPool",
    ...spiderpool,
    spec: SET_SPEC,
    says: {
      ...{ ...NONE_BUT_RANGES, disabled: false, assignmentMode: "Manual" },
      ...{ nodeSelector: undefined, namespaceSelector: undefined, podSelector: undefined },
      ...{ nodeNames: undefined, namespaceNames: undefined, networks: undefined },
    },
    base: { ranges: SAMPLES.ranges },
    impossible: ["borrowing", "parent"],
  },
  {
    kind: "SpiderSubnet",
    ...spiderpool,
    spec: SET_SPEC,
    says: { ...NONE_BUT_RANGES, assignmentMode: "Applications" },
    base: { ranges: SAMPLES.ranges, assignmentMode: "Applications" },
    // It cannot become or cease to be for applications.
    impossible: ["assignmentMode", "borrowing", "parent"],
  },
  {
    kind: "CiliumPodIPPool",
    apiVersion: "cilium.io/v2alpha1",
    spec: { ipv4: { cidrs: [SAMPLES.cidr], maskSize: 28 } },
    says: { cidr: SAMPLES.cidr, assign: "prefixes", blockSize: 28 },
    base: { assign: "prefixes", blockSize: 28, assignmentMode: "Manual" },
    impossible: [
      ...(["assign", "allowedUses", "namespaceSelector", "podSelector"] as const),
      ...(["namespaceNames", "networks", "borrowing", "ranges", "excludes", "kind"] as const),
      ...(["prefixLength", "gateway", "routes", "dns", "domain", "vlan", "mtu"] as const),
    ],
  },
];

const ALL = FORMS.flatMap((form) =>
  POOL_FIELDS.map((field) => ({ form, field, kind: form.kind })),
).filter(({ form, field }) => !form.impossible.includes(field));

const applied = async (document: object, ...more: readonly string[]) => {
  const ended = await platWith(
    { stdin: JSON.stringify(document) },
    ...["pool", "apply", "-f", "-", ...more],
  );
  expect(ended).toMatchObject({ exit: 0 });
  return ended.out + ended.err;
};

const poolBefore = ({ base }: Form, field: PoolField, name: string) =>
  call("PUT", `/v1/pools/${name}`, {
    cidr: SAMPLES.cidr,
    ...(field === "excludes" && { ranges: SAMPLES.ranges }),
    ...(field === "namespaceSelector" && { allowedUses: ["Workload"] }),
    ...(field === "gateway" && { kind: "subnet" }),
    ...base,
    [field]: SAMPLES[field],
  });

const nameOf = ({ kind }: Form) => (kind === "CiliumPodIPPool" ? "web.10-0-1-0-24" : "web");

const manifestOf = ({ kind, apiVersion, spec }: Form) => ({
  ...{ kind, apiVersion, metadata: { name: "web" }, spec },
});

async function makeParent() {
  const top = ["--cidr", "10.0.0.0/16", "--assign", "prefixes", "--block-size", "24"];
  await plat("pool", "create", "top", ...top);
  await call("POST", "/v1/prefixes", { handle: "cluster", cidr: SAMPLES.cidr, pools: ["top"] });
}

describe("plat pool apply of each kind of manifest over a pool with each field", () => {
  it.each(ALL)("$kind over $field changes what it says alone, and says so", async (one) => {
    const { form, field } = one;
    const name = nameOf(form);
    if (field === "parent") await makeParent();
    expect((await poolBefore(form, field, name)).body).toMatchObject({ [field]: SAMPLES[field] });
    const before = (await call("GET", `/v1/pools/${name}`)).body;
    const dry = await applied(manifestOf(form), "--dry-run");
    expect((await call("GET", `/v1/pools/${name}`)).body).toEqual(before);
    const out = await applied(manifestOf(form));
    expect(out).toBe(dry.replace(" (dry run)", "").replace(DRY_RUN, ""));
    const { job: _, ...after } = (await call("GET", `/v1/pools/${name}`)).body;
    for (const each of POOL_FIELDS)
      expect([each, after[each]]).toEqual([
        each,
        each in form.says ? form.says[each] : before[each],
      ]);
    for (const each of POOL_FIELDS) {
      const isChanged = JSON.stringify(after[each]) !== JSON.stringify(before[each]);
      expect([each, out.includes(` changes ${each}: `)]).toEqual([each, isChanged]);
    }
    if (!(field in form.says)) expect(out).toContain(` leaves ${field}: `);
    expect(await applied(manifestOf(form))).toContain(`ippool/${name} unchanged\n`);
  });

  it.each(
    FORMS.flatMap((form) => form.impossible.map((field) => ({ kind: form.kind, field, form }))),
  )("$kind: no such pool has this $field", async ({ form, field }) => {
    const put = await poolBefore(form, field, "web");
    const isTaken = put.status === 201;
    // What the API takes is another kind of pool, and stays one.
    const ended = await platWith(
      { stdin: JSON.stringify(manifestOf(form)) },
      ...["pool", "apply", "-f", "-"],
    );
    expect(isTaken ? ended.exit : put.status).toBe(isTaken ? 1 : 400);
  });
});

type Namespace = v.InferOutput<typeof namespaceRead>;
type NamespaceField = Exclude<keyof Namespace, "name">;

/**
 * A value of each field of a namespace, and the value after a manifest without annotations: its own for a field that no
 * manifest has a word for. A field that is missing here is a type error.
 */
const OF_NAMESPACE: {
  readonly [Field in NamespaceField]: {
    readonly value: Namespace[Field];
    readonly applied: Namespace[Field] | undefined;
    readonly note: string;
  };
} = {
  labels: {
    value: { team: "b" },
    applied: { team: "a" },
    note: 'changes labels: {"team":"b"} -> {"team":"a"}',
  },
  defaultPools: {
    value: ["p"],
    applied: undefined,
    note: 'changes defaultPools: ["p"] -> none',
  },
  ipv4DefaultPools: {
    value: ["p"],
    applied: undefined,
    note: 'changes ipv4DefaultPools: ["p"] -> none',
  },
  ipv6DefaultPools: {
    value: ["p"],
    applied: undefined,
    note: 'changes ipv6DefaultPools: ["p"] -> none',
  },
};

describe("plat apply of a manifest of another kind", () => {
  it.each([
    {
      kind: "IPReservation",
      apiVersion: "projectcalico.org/v3",
      spec: { reservedCIDRs: ["10.0.0.9"] },
    },
    { kind: "SpiderReservedIP", ...spiderpool, spec: { ips: ["10.0.0.9"] } },
  ])("$kind leaves the reason of a reservation, and says so", async (manifest) => {
    await call("PUT", "/v1/reservations/web", { cidrs: ["10.0.0.1"], reason: "routers" });
    expect(await applied({ ...manifest, metadata: { name: "web" } })).toBe(
      'ipreservation/web configured\nNote: ipreservation/web changes cidrs: ["10.0.0.1"] -> ["10.0.0.9"]\nNote: ipreservation/web leaves reason: routers\n',
    );
    expect((await call("GET", "/v1/reservations/web")).body).toMatchObject({ reason: "routers" });
  });

  it("Node changes the labels, and says so", async () => {
    await call("PUT", "/v1/nodes/web", { labels: { zone: "a" } });
    const metadata = { name: "web", labels: { zone: "b" } };
    expect(await applied({ kind: "Node", apiVersion: "v1", metadata })).toBe(
      'node/web configured\nNote: node/web changes labels: {"zone":"a"} -> {"zone":"b"}\n',
    );
  });

  it.each(Object.entries(OF_NAMESPACE))(
    "Namespace without annotations over %s: what it says changes, and it says so",
    async (field, { value, applied: after, note }) => {
      await call("PUT", "/v1/namespaces/web", { labels: { team: "a" }, [field]: value });
      const metadata = { name: "web", labels: { team: "a" } };
      expect(await applied({ kind: "Namespace", apiVersion: "v1", metadata })).toContain(
        `Note: namespace/web ${note}\n`,
      );
      expect((await call("GET", "/v1/namespaces/web")).body[field]).toEqual(after);
    },
  );
});

describe("docs/plat.md", () => {
  it("names every field of a pool that an IPPool has no word for", async () => {
    const page = await readFile("docs/plat.md", "utf8");
    const [, table = ""] = /^An IPPool has no word for .*:\n\n((\|.*\n)+)/m.exec(page) ?? [];
    expect(table.match(/`\w+`/g)?.sort()).toEqual(PLAT_FIELDS.map((field) => `\`${field}\``));
  });
});
