import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { CalicoBlock, dumpOf, listText, pool, resource } from "../cluster.ts";
import { terminal } from "../terminal.ts";

const { plat, platWith } = terminal();

const POOL = pool("main", { blockSize: 28, cidr: "10.0.0.0/24" });

function cluster() {
  const block = new CalicoBlock("10.0.0.0/28", "host:node-1");
  block.take({ handle_id: "k8s.a", secondary: { node: "node-1" } });
  block.take({ handle_id: "k8s.b", secondary: { node: "node-1", vm: "on" } });
  return dumpOf([POOL], [block]);
}

const dryRun = (stdin: string) =>
  platWith({ stdin }, "import", "calico", "-f", "-", "--dry-run", "-o", "json");

/** Returns the plan for a dump, independent of its text form. */
async function planned(stdin: string) {
  const { exit, out, err } = await dryRun(stdin);
  expect(err).not.toContain("plat:");
  expect(exit).toBe(0);
  return JSON.parse(out);
}

describe("a dump is read", () => {
  it("as JSON, as YAML, as several documents, and as lists of one kind, all the same", async () => {
    const dump = cluster();
    const { steps } = await planned(listText(dump));
    expect(steps).toMatchObject({
      pools: [{ name: "main" }],
      claims: [{ cidr: "10.0.0.0/28" }],
      assigns: [{ address: "10.0.0.0" }, { address: "10.0.0.1", attributes: { vm: "on" } }],
    });
    const YAML = { version: "1.1" } as const;
    const typed = [...new Set(dump.map(({ kind }) => kind))].map((kind) => ({
      apiVersion: "projectcalico.org/v3",
      kind: `${kind === "IPAMConfig" ? "IPAMConfiguration" : kind}List`,
      items: dump
        .filter((one) => one.kind === kind)
        .map(({ metadata, spec }) => ({ metadata, spec })),
    }));
    for (const text of [
      stringify({ apiVersion: "v1", kind: "List", items: dump }, YAML),
      dump.map((one) => stringify(one, YAML)).join("---\n"),
      `---\n${stringify(dump[0], YAML)}---\n---\n${JSON.stringify(typed[1])}\n---\n${typed
        .slice(2)
        .map((one) => stringify(one, YAML))
        .join("---\n")}`,
      typed.map((one) => stringify(one, YAML)).join("---\n"),
    ])
      expect((await planned(text)).steps).toEqual(steps);
  });

  it("with a pool that is being deleted as one that is disabled", async () => {
    const [main, ...rest] = cluster();
    const metadata = { ...main?.metadata, deletionTimestamp: "2026-11-30T00:00:00Z" };
    const { steps, notes } = await planned(listText([{ ...main, metadata }, ...rest] as never));
    expect(steps.pools).toMatchObject([
      { name: "main", fields: { disabled: true }, opened: { disabled: false } },
    ]);
    expect(notes).toContain("Pool main is being deleted: imported as disabled.");
  });

  it("from several files, which together are one", async () => {
    const [first, ...rest] = cluster();
    const files = [join(tmpdir(), "plat-dump-1.json"), join(tmpdir(), "plat-dump-2.json")];
    await writeFile(files[0] as string, listText([first as object]));
    await writeFile(files[1] as string, listText(rest));
    const { exit, out } = await plat(
      ...["import", "calico", "-f", files[0] as string, "-f", files[1] as string],
      ...["--dry-run", "-o", "json"],
    );
    expect(exit).toBe(0);
    expect(JSON.parse(out).counts).toMatchObject({
      pools: { create: 1 },
      addresses: { create: 2 },
    });
  });

  it("as calicoctl datastore migrate export prints it, from any of its releases", async () => {
    const dump = cluster();
    const specs = (kind: string) => dump.filter((one) => one.kind === kind).map(({ spec }) => spec);
    const exportOf = (owner: object, key: string) =>
      [
        stringify({ ...POOL, apiVersion: "projectcalico.org/v3" }),
        "---\napiVersion: projectcalico.org/v3\nitems: []\nkind: BGPPeerList\nmetadata: {}\n---\n",
        '===\n{"kind": "ClusterInformation", "apiVersion": "projectcalico.org/v3", "metadata": {"name": "default"}, "spec": {}}\n===\n',
        JSON.stringify({
          block_affinities: [
            {
              Key: `${key}/ipv4/block/10.0.0.0-28`,
              Value: { state: "confirmed", deleted: false },
              TTL: 0,
            },
          ],
          blocks: specs("IPAMBlock").map(({ affinity: _, ...spec }) => ({
            Key: "/calico/ipam/v2/assignment/ipv4/block/10.0.0.0-28",
            Value: { ...spec, ...owner },
            TTL: 0,
          })),
          handles: specs("IPAMHandle").map(({ handleID, ...spec }) => ({
            Key: `/calico/ipam/v2/handle/${handleID}`,
            Value: spec,
            TTL: 0,
          })),
          config: { Key: "/calico/ipam/v2/config", Value: { auto_allocate_blocks: true }, TTL: 0 },
        }),
      ].join("");
    const { steps } = await planned(listText(dump));
    const now = exportOf({ affinity: "host:node-1" }, "/calico/ipam/v2/host/node-1");
    const old = exportOf({ affinity: null, hostAffinity: "node-1" }, "/calico/ipam/v2/host/node-1");
    const { notes, ...of } = await planned(now);
    expect(of.steps).toEqual(steps);
    expect(notes).toEqual(["1 of kind ClusterInformation: not imported."]);
    expect((await planned(old)).steps).toEqual(steps);
    const virtual = exportOf({ affinity: "virtual:lb" }, "/calico/ipam/v2/virtual/lb");
    expect((await planned(virtual)).steps.claims).toMatchObject([{ host: "virtual:lb" }]);
  });
});

describe("what is no dump is rejected before anything is asked, with what is wrong", () => {
  const refused = async (stdin: string, ...reasons: readonly string[]) => {
    const { exit, out, err } = await dryRun(stdin);
    for (const reason of reasons) expect(err).toContain(reason);
    expect(out).toBe("");
    expect(exit).toBe(2);
  };
  const changed = (kind: string, spec: object) =>
    listText(
      cluster().map((one) =>
        one.kind === kind ? { ...one, spec: { ...one.spec, ...spec } } : one,
      ),
    );

  it("a file that is not there, and no file at all", async () => {
    const { exit, err } = await plat("import", "calico", "-f", "/nowhere/dump.yaml");
    expect(err).toContain("/nowhere/dump.yaml cannot be read");
    expect(exit).toBe(2);
    expect((await plat("import", "calico")).exit).toBe(2);
  });

  it("nothing that Plat takes", async () => {
    for (const text of ["", "\n---\n", listText([]), '{"kind": "IPPoolList", "items": []}'])
      await refused(text, "- has no objects of a kind that Plat takes");
    const other = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other" } };
    await refused(
      listText([other]),
      "1 of kind ConfigMap",
      "- has no objects of a kind that Plat takes",
    );
    const old = { apiVersion: "v1", kind: "IPPool", metadata: { cidr: "10.0.0.0/16" } };
    await refused(listText([old]), "1 of kind IPPool (v1): not imported");
  });

  it("stdin twice: the second time it would be empty", async () => {
    const { exit, err } = await platWith(
      { stdin: listText(cluster()) },
      ...["import", "calico", "-f", "-", "-f", "-"],
    );
    expect(err).toContain("- is named twice");
    expect(exit).toBe(2);
  });

  it("JSON with a field twice, of which other programs take the first one", async () => {
    const pool = '{"apiVersion": "crd.projectcalico.org/v1", "kind": "IPPool", "kind": "Pod"}';
    await refused(
      `{"kind": "List", "items": [${pool}]}`,
      "stdin: the field items[0].kind is there more than once.",
    );
  });

  it("neither JSON nor YAML", async () => {
    await refused("a: b: c", "stdin is neither JSON nor YAML");
    await refused('{"kind": ', "stdin is neither JSON nor YAML: Unexpected end of JSON input");
    await refused("just words", "just words is no resource: it has no kind");
    await refused('{"kind": "List", "items": [{"no": "kind"}]}', "an object of no is no resource");
  });

  it("a part of a dump: YAML that is cut off before the list says what it is, and a page", async () => {
    const [first, ...rest] = cluster();
    const whole = stringify({ apiVersion: "v1", items: [first, ...rest], kind: "List" });
    expect((await dryRun(whole)).exit).toBe(0);
    await refused(whole.slice(0, whole.indexOf("\nkind: List")), "stdin has items and no kind");
    await refused(`{"items": [${JSON.stringify(first)}]}`, "stdin has items and no kind");
    const page = (metadata: object) =>
      JSON.stringify({ apiVersion: "v1", kind: "List", items: [first], metadata });
    expect((await dryRun(page({ continue: "" }))).exit).toBe(0);
    await refused(page({ continue: "eyJ2" }), "stdin is one page of a list: its metadata.continue");
  });

  it("YAML that stands for more than it says, or is nested without end", async () => {
    const bomb = [
      "a: &a [x, x]",
      ..."bcdefghij".split("").map((name, i) => {
        const before = "abcdefghij"[i];
        return `${name}: &${name} [${new Array(9).fill(`*${before}`).join(", ")}]`;
      }),
    ].join("\n");
    await refused(bomb, "stdin has an alias of YAML, such as *name");
    await refused(`kind: ${"[".repeat(100_000)}`, "nested more than 64 levels deep");
  });

  it("many keys in one place take no time to speak of", async () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `  k${i}: v`).join("\n");
    const other = `apiVersion: v1\nkind: ConfigMap\ndata:\n${keys}\n`;
    const { exit } = await dryRun(`${other}---\n${stringify(POOL)}`);
    expect(exit).toBe(0);
  });

  it("resources that are not as Calico writes them, each by its name", async () => {
    await refused(
      changed("IPAMBlock", { cidr: "10.0.0.0" }),
      "IPAMBlock 10-0-0-0-28: spec.cidr is not a CIDR",
    );
    await refused(
      changed("IPAMBlock", { allocations: { 0: 1 } }),
      "spec.allocations must be an array",
    );
    await refused(
      changed("IPAMBlock", { allocations: new Array(5_000).fill(null) }),
      "must have at most 4096",
    );
    await refused(
      changed("IPAMBlock", { allocations: [-1] }),
      "spec.allocations[0] must be a whole number",
    );
    await refused(
      changed("IPAMBlock", { attributes: [{ secondary: { node: 1 } }] }),
      "secondary.node must be a string",
    );
    await refused(changed("IPAMBlock", { affinity: "node-1" }), 'spec.affinity must be "host:"');
    await refused(
      changed("IPAMHandle", { block: { "10.0.0.0/28": 1e300 } }),
      "must be a whole number",
    );
    await refused(
      changed("IPAMHandle", { handleID: undefined }),
      "IPAMHandle k8s.a: spec.handleID is required",
    );
    await refused(changed("BlockAffinity", { node: 7 }), "spec.node must be a string");
    await refused(changed("IPPool", { blockSize: 1e99 }), "IPPool main: spec.blockSize must be");
    await refused(
      changed("IPAMConfig", { maxBlocksPerHost: 1e12 }),
      "IPAMConfig default: spec.maxBlocksPerHost must be",
    );
    await refused(
      listText([{ ...POOL, metadata: undefined }]),
      "IPPool 10.0.0.0/24: metadata is required",
    );
    await refused(listText([{ ...POOL, spec: [] }]), "IPPool main: spec.cidr is required");
  });

  it("numbers that no machine has, as YAML writes them", async () => {
    for (const number of [".inf", ".nan", "1e999", "99999999999999999999999999"])
      await refused(
        stringify(cluster()[0]).replace("blockSize: 28", `blockSize: ${number}`),
        "IPPool main: spec.blockSize must be",
      );
  });

  it("an export whose keys or lists cannot be read", async () => {
    await refused('{"blocks": 7}', "blocks must be an array of entries");
    await refused('{"handles": [{"Key": "nonsense", "Value": {}}]}', '"nonsense" is no key');
  });

  it("more than ten things at once, the first ten of them", async () => {
    const many = Array.from({ length: 30 }, (_, i) => resource("IPPool", `p${i}`, { cidr: "x" }));
    await refused(listText(many), "p9", "and 20 more");
  });
});
