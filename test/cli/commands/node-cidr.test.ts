import { describe, expect, it } from "vitest";
import { spaceWithPool } from "../space.ts";
import { person, terminal } from "../terminal.ts";

const shell = terminal();
const { plat, platWith } = shell;
const pool = spaceWithPool(shell);
const prefixes = () => pool("v4", { cidr: "10.64.0.0/23", blockSize: 24, assign: "prefixes" });

const CIDR = ["--cidr", "10.64.1.0/24"];
const UID = ["--uid", "8f3e"];

describe("plat node cidr", () => {
  it("gives a node a prefix, and says what to write into the Node object", async () => {
    await prefixes();
    const { exit, out, err } = await plat("node", "cidr", "ensure", "node-1", ...UID);
    expect(exit).toBe(0);
    expect(out).toMatch(/^CIDR +POOL +STATE +EXPIRES\n10\.64\.[01]\.0\/24 +v4 +pending +20/);
    expect(err).toMatch(/^Write to the Node object: 10\.64\.[01]\.0\/24\n$/);
  });

  it("advises nothing that it does not take where no pool can serve it", async () => {
    await pool();
    const { exit, err } = await plat("node", "cidr", "ensure", "node-1", ...UID);
    expect(exit).toBe(1);
    expect(err).toContain("  `plat pool get` lists the pools.\n  code: no_pool_available\n");
    expect(err).not.toContain("--dry-run");
  });

  it("confirms the prefix that a node states, and shows it", async () => {
    await prefixes();
    const { exit, err } = await plat("node", "cidr", "ensure", "node-1", ...UID, ...CIDR);
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect((await plat("node", "cidr", "get", "node-1")).out).toBe(
      "CIDR           POOL   STATE       EXPIRES   UID\n10.64.1.0/24   v4     confirmed   <none>    8f3e\n",
    );
  });

  it("shows the event of a cluster whose provider chooses", async () => {
    await prefixes();
    const { exit, err } = await plat(
      ...["node", "cidr", "ensure", "node-1", ...UID, "--allocator", "IPAMFromCloud"],
    );
    expect(exit).toBe(0);
    expect(err).toMatch(/^CloudCIDRAllocatorInvalidMode: /);
  });

  it("releases after a question; --dry-run only shows the prefixes", async () => {
    await prefixes();
    await plat("node", "cidr", "ensure", "node-1", ...UID, ...CIDR);
    const { questions, ask } = person(false);
    const release = ["node", "cidr", "release", "node-1", ...UID];
    expect((await platWith({ ask }, ...release)).exit).toBe(1);
    expect(questions).toEqual([
      "Release 1 prefix of node node-1? Make sure that no pod uses addresses in them.",
    ]);
    expect((await plat(...release, "--dry-run", "-o", "name")).out).toContain("10.64.1.0/24");
    expect(await plat(...release, "--yes")).toEqual({
      exit: 0,
      out: "1 prefix of node-1 released\n",
      err: "",
    });
    expect((await plat(...release, "--yes")).out).toBe("0 prefixes of node-1 released\n");
  });

  it("exits in a dry run as the release does, where another owner has the prefix and where nobody has", async () => {
    await prefixes();
    await plat("node", "cidr", "ensure", "node-1", ...UID, ...CIDR);
    const release = ["node", "cidr", "release", "node-2", ...UID, "--cidr"];
    for (const more of ["--dry-run", "--yes"]) {
      const { exit, err } = await plat(...release, "10.64.1.0/24", more);
      expect(exit).toBe(1);
      expect(err).toContain("Prefix 10.64.1.0/24 is assigned to ");
      expect(err).toContain("code: generation_conflict\n");
      expect((await plat(...release, "10.64.0.0/24", more)).exit).toBe(0);
    }
  });

  it("shows the prefix that it would release in any notation, and rejects what is no CIDR", async () => {
    await pool("v6", { cidr: "fd00::/110", blockSize: 120, assign: "prefixes" });
    await plat("node", "cidr", "ensure", "node-1", ...UID, "--cidr", "fd00::100/120");
    const release = ["node", "cidr", "release", "node-1", ...UID, "--cidr"];
    const shown = await plat(...release, "FD00:0:0::0100/120", "--dry-run");
    expect(shown.out).toMatch(/^fd00::100\/120 /m);
    expect(await plat(...release, "FD00:0:0::0100/120", "--yes")).toMatchObject({
      out: "1 prefix of node-1 released\n",
    });
    const { exit, err } = await plat(...release, "here", "--yes");
    expect(exit).toBe(2);
    expect(err).toContain("is not a CIDR such as 10.0.0.0/16");
  });
});
