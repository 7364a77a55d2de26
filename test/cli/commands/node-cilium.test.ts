import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { ciliumNode } from "../../node-objects.ts";
import { files } from "../file.ts";
import { spaceWithPool } from "../space.ts";
import { person, terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const file = files();
const { plat, platWith } = shell;
const pool = spaceWithPool(shell);
const prefixes = () => pool("v4", { cidr: "10.64.0.0/23", blockSize: 24, assign: "prefixes" });

const applied = (stdin: string, ...more: readonly string[]) =>
  platWith({ stdin }, "node", "cilium", "apply", "-f", "-", ...more);

const V4 = expect.stringMatching(/^10\.64\.[01]\.0\/24$/);

describe("plat node cilium", () => {
  it("prints the object with what the node gets, as JSON and as YAML", async () => {
    await prefixes();
    const node = ciliumNode("node-1");
    const { exit, out, err } = await applied(JSON.stringify(node));
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    const granted = JSON.parse(out);
    expect(granted).toMatchObject({ metadata: node.metadata, spec: { ipam: { podCIDRs: [V4] } } });
    const again = await applied(stringify(node), "-o", "yaml");
    expect(parse(again.out)).toEqual(granted);
    expect((await plat("node", "cilium", "get", "node-1", "-o", "json")).out).toContain(
      granted.spec.ipam.podCIDRs[0],
    );
  });

  it("takes what kubectl prints of more than one node, and prints a list", async () => {
    await prefixes();
    const items = [ciliumNode("node-1"), ciliumNode("node-2", { uid: "b" })];
    const { out } = await applied(JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const list = JSON.parse(out);
    expect(list).toMatchObject({ kind: "List", items: [{}, {}] });
    expect((await applied(out, "-o", "name")).out).toBe("node-1\nnode-2\n");
  });

  it("prints what it granted before a node fails", async () => {
    await prefixes();
    const url = await wayTo(shell.server().url, async ({ route }) =>
      route === "PUT /v1/nodes/node-2/cilium" ? "cut" : undefined,
    );
    const items = ["node-1", "node-2"].map((name) => ciliumNode(name, { uid: name }));
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const { exit, out, err } = await applied(list, "--endpoint", url);
    expect(exit).toBe(3);
    expect(err).toContain("Error: ");
    expect(JSON.parse(out)).toMatchObject({
      kind: "List",
      items: [{ metadata: { name: "node-1" }, spec: { ipam: { podCIDRs: [V4] } } }],
    });
  });

  it("takes the objects of each file that the line names", async () => {
    await prefixes();
    const [one, two] = [ciliumNode("node-1"), ciliumNode("node-2", { uid: "b" })];
    const paths = [await file("1", JSON.stringify(one)), await file("2", stringify(two))];
    const named = paths.flatMap((path) => ["-f", path]);
    const { out } = await plat("node", "cilium", "apply", ...named, "-o", "name");
    expect(out).toBe("node-1\nnode-2\n");
  });

  it("says on stderr what could not be granted", async () => {
    await prefixes();
    const pools = { requested: [{ pool: "mars", needed: { "ipv4-addrs": 1 } }] };
    const node = ciliumNode("node-1", { ipam: { pools } });
    const { exit, err } = await applied(JSON.stringify(node), "--mode", "multi-pool");
    expect(exit).toBe(0);
    expect(err).toMatch(/^Warning: Node node-1, pool mars, IPv4: No pool of IPv4 prefixes /);
  });

  it("sends its options", async () => {
    await prefixes();
    const node = JSON.stringify(ciliumNode("node-1"));
    const times = ["--release-after", "2h", "--withdraw-after", "1m"];
    const { exit, err } = await applied(node, "--mode", "crd", "--families", "4", ...times);
    expect(exit).toBe(1);
    expect(err).toContain("releaseAfterSeconds");
    expect((await applied(node, "--families", "6")).err).toMatch(/^Warning: Node node-1, IPv6: /);
  });

  it("releases what a uid has, after a question", async () => {
    await prefixes();
    await applied(JSON.stringify(ciliumNode("node-1", { podCIDRs: ["10.64.1.0/24"] })));
    const release = ["node", "cilium", "release", "node-1", "--uid", "a"];
    const { exit, err } = await platWith({ ask: "no terminal" }, ...release);
    expect(exit).toBe(2);
    expect(err).toContain("look first with plat node cilium get node-1.");
    const { questions, ask } = person(false);
    expect((await platWith({ ask }, ...release)).exit).toBe(1);
    expect(questions).toEqual([
      "Release all that node node-1 has by its CiliumNode under uid a? Make sure that no pod uses these addresses.",
    ]);
    expect((await plat(...release, "--yes", "-o", "name")).out).toBe("10.64.1.0/24\n");
    expect(await plat(...release, "--yes")).toEqual({
      exit: 0,
      out: "0 prefixes and addresses of node-1 released\n",
      err: "",
    });
  });

  it("refuses a file with anything else", async () => {
    expect((await applied('{"kind": "Node", "metadata": {"name": "node-1"}}')).exit).toBe(2);
    expect((await applied("[]")).exit).toBe(2);
  });
});
