import { describe, expect, it } from "vitest";
import { person, terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const { plat, platWith, call, server } = terminal();

describe.each([
  { noun: "node", kind: "Node" },
  { noun: "namespace", kind: "Namespace" },
])("plat $noun", ({ noun, kind }) => {
  const manifest = (name: string, labels: object) =>
    JSON.stringify({ apiVersion: "v1", kind, metadata: { name, labels } });
  const apply = (stdin: string) => platWith({ stdin }, noun, "apply", "-f", "-");

  it("is applied, shown and deleted", async () => {
    expect((await apply(manifest("a", { zone: "west" }))).out).toBe(`${noun}/a created\n`);
    expect((await apply(manifest("a", { zone: "east" }))).out).toBe(`${noun}/a configured\n`);
    expect((await apply(manifest("a", { zone: "east" }))).out).toBe(`${noun}/a unchanged\n`);
    expect((await plat(noun, "get", "a")).out).toBe("NAME   LABELS\na      zone=east\n");
    expect(await plat(noun, "delete", "a")).toEqual({
      exit: 0,
      out: `${noun} "a" deleted\n`,
      err: "",
    });
    const { exit, err } = await plat(noun, "delete", "a");
    expect(exit).toBe(1);
    expect(err).toMatch(/^Error: .*\n {2}code: not_found\n/s);
  });

  it("is applied again as get prints it", async () => {
    await apply(manifest("a", { zone: "west" }));
    const { out } = await plat(noun, "get", "-o", "yaml");
    expect((await apply(out)).out).toBe(`${noun}/a unchanged\n`);
  });
});

describe("plat node delete --release", () => {
  const assign = async (host: string, handle: string) => {
    const { exit } = await plat("assign", "--host", host, "--ipv4", "2", "--handle", handle);
    expect(exit).toBe(0);
  };

  it("frees what its host has, and nothing else, and does no harm again", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/24", "--block-size", "28");
    await platWith({ stdin: JSON.stringify({ nodes: [{ name: "a", labels: {} }] }) }, ...APPLY);
    await assign("a", "gone");
    await assign("b", "stays");
    expect(await plat("node", "delete", "a", "--release")).toEqual({
      exit: 0,
      out: 'node "a" deleted\n2 addresses and 1 block of a released\n',
      err: "",
    });
    const hosts = (await plat("affinity", "get", "-o", "custom-columns=HOST:.host")).out;
    expect(hosts).toBe("HOST\nb\n");
    expect((await plat("handle", "get", "gone")).exit).toBe(1);
    expect((await plat("handle", "get", "stays")).exit).toBe(0);
    expect((await plat("node", "delete", "a", "--release")).out).toBe(
      "0 addresses and 0 blocks of a released\n",
    );
  });

  it("asks before, with what its host has; --dry-run only tells it", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/24", "--block-size", "28");
    await platWith({ stdin: JSON.stringify({ nodes: [{ name: "a", labels: {} }] }) }, ...APPLY);
    await assign("a", "stays");
    const { questions, ask } = person(false);
    expect((await platWith({ ask }, "node", "delete", "a", "--release")).exit).toBe(1);
    expect((await platWith({ ask }, "node", "delete", "a")).exit).toBe(1);
    expect(questions).toEqual([
      "Delete node a, and release its 2 addresses and 1 block?",
      "Delete node a?",
    ]);
    expect((await plat("node", "delete", "a", "--release", "--dry-run")).out).toBe(
      'node "a" deleted (dry run)\n2 addresses and 1 block of a released (dry run)\n',
    );
    expect((await plat("node", "get", "a")).exit).toBe(0);
    expect((await plat("handle", "get", "stays")).exit).toBe(0);
  });

  it("tells in a dry run nothing that a virtual owner of its name has", async () => {
    // The only block is that of the node, so the virtual owner borrows.
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/28", "--block-size", "28");
    await assign("a", "own");
    const line = ["assign", "--host", "a", "--affinity-type", "virtual", "--ipv4", "3"];
    expect((await plat(...line, "--handle", "other")).exit).toBe(0);
    const told = "2 addresses and 1 block of a released";
    expect((await plat("node", "delete", "a", "--release", "--dry-run")).out).toBe(
      `${told} (dry run)\n`,
    );
    expect((await plat("node", "delete", "a", "--release")).out).toBe(`${told}\n`);
  });

  it.each([
    [
      "names what cannot be read at the end",
      false,
      1,
      /^Error: Host a keeps its addresses in block 10\.0\.0\.0, because /,
    ],
    ["says nothing of what could be read before the end", true, 0, /^$/],
  ])("%s", async (_, isMended, exit, err) => {
    await platWith({ stdin: JSON.stringify({ nodes: [{ name: "a", labels: {} }] }) }, ...APPLY);
    const part = { host: "a", released: [], progressed: false };
    const unreadable = [{ item: "block 10.0.0.0", reason: "" }];
    let releases = 0;
    const url = await wayTo(server().url, async ({ route }) => {
      if (route !== "POST /v1/release") return undefined;
      const isRead = releases++ > 0 && isMended;
      return { ...part, complete: isRead, ...(!isRead && { unreadable }) };
    });
    expect(await plat("node", "delete", "a", "--release", "--endpoint", url)).toEqual({
      exit,
      out: 'node "a" deleted\n0 addresses and 0 blocks of a released\n',
      err: expect.stringMatching(err),
    });
  });

  it("tells which blocks it released where no addresses are and a later page cannot be", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/24", "--block-size", "28");
    await assign("a", "gone");
    await plat("release", "--handle", "gone");
    const { body: first } = await call("DELETE", "/v1/nodes/a/affinities");
    let pages = 0;
    const url = await wayTo(server().url, async ({ route }) => {
      if (route !== "DELETE /v1/nodes/a/affinities") return undefined;
      return pages++ === 0 ? { ...first, complete: false, next: "more" } : "cut";
    });
    const { exit, out } = await plat("node", "delete", "a", "--release", "--endpoint", url);
    expect({ exit, out }).toEqual({ exit: 3, out: "0 addresses and 1 block of a released\n" });
  });

  it("tells which addresses it released where the blocks cannot be", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/24", "--block-size", "28");
    await platWith({ stdin: JSON.stringify({ nodes: [{ name: "a", labels: {} }] }) }, ...APPLY);
    await assign("a", "gone");
    const url = await wayTo(server().url, async ({ route }) =>
      route === "DELETE /v1/nodes/a/affinities" ? "cut" : undefined,
    );
    const { exit, out } = await plat("node", "delete", "a", "--release", "--endpoint", url);
    expect({ exit, out }).toEqual({
      exit: 3,
      out: 'node "a" deleted\n2 addresses and 0 blocks of a released\n',
    });
  });
});

const APPLY = ["node", "apply", "-f", "-"];
