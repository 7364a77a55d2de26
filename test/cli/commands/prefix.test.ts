import { describe, expect, it } from "vitest";
import { spaceWithPool } from "../space.ts";
import { person, terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const { plat, platWith } = shell;
const pool = spaceWithPool(shell);
const clusters = () =>
  pool("clusters", { cidr: "10.64.0.0/22", blockSize: 24, assign: "prefixes" });

const assign = (...args: string[]) => plat("prefix", "assign", "cluster-7", ...args);

describe("plat prefix", () => {
  it("assigns a free prefix of a family, and shows it", async () => {
    await clusters();
    const { exit, out } = await assign("--family", "4", "--pool", "clusters");
    expect(exit).toBe(0);
    expect(out).toMatch(/^CIDR +POOL +HANDLE\n10\.64\.\d\.0\/24 +clusters +cluster-7\n$/);
    expect((await plat("prefix", "get", "cluster-7")).out).toBe(out);
  });

  it("assigns a specific prefix, and finds its owner", async () => {
    await clusters();
    expect((await assign("--cidr", "10.64.1.0/24", "-o", "name")).out).toContain("10.64.1.0/24");
    const { out } = await plat("prefix", "get", "--cidr", "10.64.1.0/24");
    expect(out).toBe("CIDR           POOL       HANDLE\n10.64.1.0/24   clusters   cluster-7\n");
    const { exit, err } = await plat("prefix", "assign", "other", "--cidr", "10.64.1.0/24");
    expect(exit).toBe(1);
    expect(err).toContain("Prefix 10.64.1.0/24 is assigned to handle prefix/cluster-7.");
  });

  it("assigns the same prefix again under the same key", async () => {
    await clusters();
    const odd = await plat("prefix", "assign", "h", "--family", "4", "--idempotency-key", "a\nb");
    expect(odd.exit).toBe(2);
    const key = ["--family", "4", "--idempotency-key", "key-1"];
    expect((await assign(...key)).out).toBe((await assign(...key)).out);
  });

  it("explains a dry run, and assigns nothing", async () => {
    await clusters();
    const { exit, out } = await assign("--family", "4", "--prefix-length", "24", "--dry-run");
    expect(exit).toBe(0);
    expect(out).toContain("it is new, and would be created");
    const { exit: refused, out: why } = await assign(
      ...["--family", "4", "--prefix-length", "25", "--dry-run"],
    );
    expect(refused).toBe(1);
    expect(why).toContain("length: has prefixes of /24");
    expect((await plat("prefix", "get", "cluster-7")).err).toContain("has no prefixes");
  });

  it("names a dry run of itself where no pool can serve it", async () => {
    await clusters();
    const { exit, err } = await assign("--family", "6");
    expect(exit).toBe(1);
    expect(err).toContain("  `plat pool get` lists the pools.\n  code: no_pool_available\n");
    expect(err).toMatch(/\n {2}The same command with --dry-run explains each pool\.\n$/);
    expect(err).not.toContain("plat assign");
  });

  it("needs a handle or a prefix to show", async () => {
    await clusters();
    const { exit, err } = await plat("prefix", "get");
    expect(exit).toBe(2);
    expect(err).toContain("Name a handle, or a prefix with --cidr.");
  });

  it("releases after a question; --dry-run only shows the prefixes", async () => {
    await clusters();
    await assign("--cidr", "10.64.1.0/24");
    await assign("--cidr", "10.64.2.0/24");
    const { questions, ask } = person(false);
    const release = ["prefix", "release", "cluster-7"];
    expect((await platWith({ ask }, ...release)).exit).toBe(1);
    expect(questions).toEqual([
      "Release 2 prefixes of cluster-7? Make sure that nothing uses addresses in them.",
    ]);
    expect((await plat(...release, "--dry-run", "-o", "name")).out).toContain("10.64.1.0/24");
    expect(await plat(...release, "--cidr", "10.64.1.0/24", "--yes")).toEqual({
      exit: 0,
      out: "1 prefix of cluster-7 released\n",
      err: "",
    });
    expect((await plat(...release, "--yes")).out).toBe("1 prefix of cluster-7 released\n");
    expect((await plat(...release, "--yes")).out).toBe("0 prefixes of cluster-7 released\n");
  });

  it("shows in a dry run what a release does, and exits as it does", async () => {
    await clusters();
    await assign("--cidr", "10.64.1.0/24");
    await assign("--cidr", "10.64.2.0/24");
    await plat("prefix", "assign", "other", "--cidr", "10.64.3.0/24");
    const child = ["--parent", "clusters", "--cidr", "10.64.1.0/24"];
    expect((await plat("pool", "create", "pods", ...child)).exit).toBe(0);
    const ends = async (line: string, exit: number, code?: string) => {
      const release = ["prefix", "release", ...line.split(" ")];
      const shown = await plat(...release, "--dry-run");
      const done = await plat(...release, "--yes");
      expect({ line, exits: [shown.exit, done.exit] }).toEqual({ line, exits: [exit, exit] });
      if (code !== undefined)
        for (const { err } of [shown, done]) expect(err).toContain(`code: ${code}\n`);
      return shown.out;
    };
    await ends("never", 0);
    await ends("cluster-7 --cidr 10.64.0.0/24", 0);
    await ends("cluster-7 --cidr 10.64.3.0/24", 1);
    await ends("cluster-7 --cidr 10.9.0.0/24", 1);
    await ends("cluster-7 --cidr 10.64.1.0/24", 1, "prefix_in_use");
    const shown = await ends("cluster-7", 1, "prefix_in_use");
    expect(shown).toContain("10.64.2.0/24");
    expect(shown).not.toContain("10.64.1.0/24");
    expect((await plat("prefix", "get", "cluster-7", "-o", "name")).out).toBe("10.64.1.0/24\n");
  });

  it("tells what it released before a request fails", async () => {
    let releases = 0;
    const url = await wayTo(shell.server().url, async ({ route }) => {
      if (route !== "POST /v1/prefixes/release") return undefined;
      return releases++ === 0 ? { released: ["10.64.1.0/24"], complete: false } : "cut";
    });
    const { exit, out } = await plat("prefix", "release", "cluster-7", "--yes", "--endpoint", url);
    expect({ exit, out }).toEqual({ exit: 3, out: "1 prefix of cluster-7 released\n" });
  });
});
