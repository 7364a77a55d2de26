import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { spaceWithPool } from "../space.ts";
import { terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const { plat, call } = shell;
const pool = spaceWithPool(shell);

const assign = (host: string, address: string, handle: string, ...more: readonly string[]) =>
  plat("assign", "--host", host, "--address", address, "--handle", handle, ...more);

describe("plat block get", () => {
  it("lists the blocks with their hosts, and how many of their addresses are in use and free", async () => {
    await pool();
    await assign("n1", "10.0.0.1", "a");
    await assign("n2", "10.0.0.17", "b");
    expect(await plat("block", "get")).toEqual({
      exit: 0,
      out: [
        "CIDR           POOL   HOST   IN USE   FREE",
        "10.0.0.0/28    main   n1     1        15",
        "10.0.0.16/28   main   n2     1        15",
        "",
      ].join("\n"),
      err: "",
    });
  });

  it("lists those of a pool, or of a host with what it borrows from", async () => {
    await pool();
    await pool("other", { cidr: "10.1.0.0/24", blockSize: 28 });
    await assign("n1", "10.0.0.1", "a");
    await assign("n2", "10.0.0.2", "b");
    await assign("n2", "10.1.0.1", "c");
    const columns = "-o=custom-columns=CIDR:.cidr";
    expect((await plat("block", "get", "--pool", "other", columns)).out).toBe(
      "CIDR\n10.1.0.0/28\n",
    );
    expect((await plat("block", "get", "--host", "n2")).out).toBe(
      [
        "CIDR          POOL    HOST   IN USE   FREE   BORROWED",
        "10.0.0.0/28   main    n1     2        14     true",
        "10.1.0.0/28   other   n2     1        15     false",
        "",
      ].join("\n"),
    );
    const virtual = await plat(
      "block",
      "get",
      "--host",
      "n2",
      "--affinity-type",
      "virtual",
      columns,
    );
    expect(virtual.out).toBe("CIDR\n");
  });

  it("lists what comes in pages, and one block's addresses too", async () => {
    const block = { cidr: "10.0.0.0/28", pool: "main", claimedAt: "2026-03-01T09:00:00.000Z" };
    const page = (rows: object, next?: string) => ({ ...block, ...rows, ...(next && { next }) });
    const url = await wayTo(shell.server().url, async ({ route, query }) => {
      const isLast = query.get("cursor") === "second";
      if (route === "GET /v1/blocks")
        return isLast ? page({ blocks: [block] }) : page({ blocks: [block, block] }, "second");
      const address = { state: "cooling", address: isLast ? "10.0.0.2" : "10.0.0.1" };
      return page({ addresses: [address] }, isLast ? undefined : "second");
    });
    const list = await plat("block", "get", "--endpoint", url, "-o", "json");
    expect(JSON.parse(list.out).blocks).toHaveLength(3);
    const one = await plat("block", "get", "10.0.0.0/28", "--endpoint", url, "-o", "json");
    expect(JSON.parse(one.out)).toEqual({
      ...block,
      addresses: [
        { address: "10.0.0.1", state: "cooling" },
        { address: "10.0.0.2", state: "cooling" },
      ],
    });
  });

  it("shows one block with its addresses, whose they are, and what cools", async () => {
    await pool();
    await assign("n1", "10.0.0.1", "a");
    await assign("n2", "10.0.0.2", "b");
    await plat("release", "--handle", "a");
    const { out } = await plat("block", "get", "10.0.0.0/28");
    expect(out).toBe(
      [
        "CIDR          POOL   HOST   IN USE   FREE",
        "10.0.0.0/28   main   n1     1        14",
        "",
        "ADDRESS    STATE      HANDLE   HOST     BORROWED",
        "10.0.0.1   cooling    <none>   <none>   <none>",
        "10.0.0.2   assigned   b        n2       true",
        "",
      ].join("\n"),
    );
    const { out: wide } = await plat("block", "get", "10.0.0.0/28", "-o", "wide");
    expect(wide.split("\n\n")).toEqual([
      expect.stringMatching(/^CIDR .* CLAIMED /),
      expect.stringMatching(/ GENERATION\n.*\n.* g1\./),
    ]);
    const { out: columns } = await plat(
      ...["block", "get", "10.0.0.0/28", "-o", "custom-columns=A:.addresses[*].address"],
    );
    expect(columns).toBe("A\n10.0.0.1,10.0.0.2\n");
  });

  it("shows the block alone where none of its addresses is assigned or cools", async () => {
    await pool();
    await plat("affinity", "claim", "10.0.0.0/28", "--host", "n1");
    const { out } = await plat("block", "get", "10.0.0.0/28");
    expect(out.trim().split("\n")).toHaveLength(2);
  });

  it("says of a block that nobody has claimed that it is not found", async () => {
    await pool();
    for (const calico of [[], ["--calico"]]) {
      const { exit, out, err } = await plat("block", "get", "10.0.0.0/28", ...calico);
      expect({ exit, out }).toEqual({ exit: 1, out: "" });
      expect(err).toMatch(/^Error: .*\n {2}code: not_found\n/s);
    }
  });

  it("takes no filter beside a block", async () => {
    const { exit, err } = await plat("block", "get", "10.0.0.0/28", "--host", "n1");
    expect(exit).toBe(2);
    expect(err).toContain("10.0.0.0/28 is one block");
  });
});

describe("plat block get --calico", () => {
  it("prints with -o yaml what kubectl prints of an IPAMBlock, with the attributes of the owners", async () => {
    await pool();
    const attributes = ["--attribute", "pod=web-0", "--attribute", "namespace=on"];
    await assign("n1", "10.0.0.1", "web", ...attributes);
    await assign("n2", "10.0.0.3", "web", ...attributes);
    await assign("n1", "10.0.0.2", "vm", "--attribute", "pod=source");
    const moved = { active: { pod: "target" }, alternate: { pod: "source" } };
    await call("PATCH", "/v1/addresses/10.0.0.2", { handle: "vm", owner: moved });
    await assign("n1", "10.0.0.4", "gone");
    await plat("release", "--handle", "gone");
    const { exit, out } = await plat("block", "get", "10.0.0.0/28", "--calico", "-o", "yaml");
    expect(exit).toBe(0);
    const shape = parse(out);
    expect(shape).toMatchObject({
      apiVersion: "crd.projectcalico.org/v1",
      kind: "IPAMBlock",
      metadata: { name: "10-0-0-0-28" },
      spec: {
        affinity: "host:n1",
        allocations: [null, 0, 1, 0, ...new Array(12).fill(null)],
        attributes: [
          { handle_id: "web", secondary: { namespace: "on", pod: "web-0" } },
          { alternateOwnerAttrs: { pod: "source" }, secondary: { pod: "target" } },
        ],
      },
    });
    // A YAML 1.1 parser would read `on` as true.
    expect(out).toContain('namespace: "on"');
    expect(parse(out, { version: "1.1" })).toEqual(shape);
  });

  it("prints a List of all of them, for programs as for people", async () => {
    await pool();
    await pool("six", { cidr: "fd00::/112" });
    await assign("n1", "10.0.0.1", "a");
    await assign("n2", "fd00::1", "a");
    await assign("n2", "10.0.0.17", "b");
    const { out } = await plat("block", "get", "--calico", "-o", "json");
    const list = JSON.parse(out);
    expect(list).toMatchObject({
      apiVersion: "v1",
      kind: "List",
      metadata: { resourceVersion: "" },
    });
    expect(Object.keys(list)).toEqual(["apiVersion", "items", "kind", "metadata"]);
    expect(
      list.items.map(({ spec }: { spec: { attributes: unknown } }) => spec.attributes),
    ).toEqual([[{ handle_id: "a" }], [{ handle_id: "b" }], [{ handle_id: "a" }]]);
    expect((await plat("block", "get", "--calico", "--pool", "six")).out).toBe(
      "NAME         CIDR         AFFINITY\nfd00---122   fd00::/122   host:n2\n",
    );
  });
});
