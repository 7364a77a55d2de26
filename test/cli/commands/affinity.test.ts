import { describe, expect, it } from "vitest";
import { spaceWithPool } from "../space.ts";
import { DRY_RUN, person, terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const { plat, platWith, call } = shell;
const pool = spaceWithPool(shell);

const claim = (cidr: string, host: string, ...more: readonly string[]) =>
  plat("affinity", "claim", cidr, "--host", host, ...more);

describe("plat affinity get", () => {
  it("shows the blocks of every host, by what the blocks say, and none that is nobody's", async () => {
    await pool();
    await claim("10.0.0.0/28", "n1");
    await claim("10.0.0.16/28", "lb", "--affinity-type", "virtual");
    await plat("assign", "--host", "gone", "--address", "10.0.0.33");
    await plat("affinity", "release", "--host", "gone", "--all");
    expect((await plat("affinity", "get")).out).toBe(
      [
        "CIDR           HOST   TYPE      POOL   IN USE   STATE",
        "10.0.0.0/28    n1     host      main   0        confirmed",
        "10.0.0.16/28   lb     virtual   main   0        confirmed",
        "",
      ].join("\n"),
    );
    const columns = "-o=custom-columns=HOST:.host";
    expect((await plat("affinity", "get", "--affinity-type", "host", columns)).out).toBe(
      "HOST\nn1\n",
    );
  });

  it("shows of one host also what it borrows from", async () => {
    await pool();
    await pool("other", { cidr: "10.1.0.0/24", blockSize: 28 });
    await claim("10.0.0.0/28", "n1");
    await claim("10.1.0.0/28", "n2");
    await plat("assign", "--host", "n2", "--address", "10.0.0.1");
    expect((await plat("affinity", "get", "--host", "n2")).out).toBe(
      [
        "CIDR          TYPE   POOL    IN USE   STATE       BORROWED",
        "10.0.0.0/28   host   main    1        confirmed   true",
        "10.1.0.0/28   host   other   0        confirmed   false",
        "",
      ].join("\n"),
    );
    const { out } = await plat("affinity", "get", "--host", "n2", "--pool", "other", "-o", "json");
    expect(JSON.parse(out)).toEqual({
      affinities: [
        {
          cidr: "10.1.0.0/28",
          host: "n2",
          affinityType: "host",
          pool: "other",
          state: "confirmed",
          borrowed: false,
          claimedAt: expect.any(String),
          used: 0,
        },
      ],
    });
    expect((await plat("affinity", "get", "--pool", "other")).out).not.toContain("10.0.0.0/28");
  });
});

describe("plat affinity claim", () => {
  it("claims what is nobody's, and exits with 1 where some of it is another's", async () => {
    await pool();
    expect(await claim("10.0.0.0/28", "n1")).toEqual({
      exit: 0,
      out: "CIDR          STATUS    HOST\n10.0.0.0/28   claimed   n1\n",
      err: "",
    });
    expect(await claim("10.0.0.0/27", "n2")).toEqual({
      exit: 1,
      out: [
        "CIDR           STATUS      HOST",
        "10.0.0.0/28    not_owned   n1",
        "10.0.0.16/28   claimed     n2",
        "",
      ].join("\n"),
      err: "Error: Block 10.0.0.0/28 is not claimed: it belongs to another host, or to none.\n  code: not_owned\n",
    });
  });

  it("says how many others are not the host's either", async () => {
    await pool();
    await claim("10.0.0.0/26", "n1");
    expect((await claim("10.0.0.0/26", "n2")).err).toBe(
      "Error: Block 10.0.0.0/28 is not claimed (and 3 more): it belongs to another host, or to none.\n  code: not_owned\n",
    );
  });

  it("goes on until the range is through", async () => {
    await pool("wide", { cidr: "10.8.0.0/20", blockSize: 27 });
    const { exit, out, err } = await claim("10.8.0.0/20", "n1");
    expect(out.trim().split("\n")).toHaveLength(1 + 128);
    expect(exit).toBe(1);
    expect(err).toBe(
      "Error: Block 10.8.2.128/27 is not claimed (and 107 more): the host has as many blocks as it may have.\n  code: block_limit\n",
    );
  });
});

describe("plat affinity ensure", () => {
  it("gives the host a block of each family, once, and no address", async () => {
    await pool();
    await pool("six", { cidr: "fd00::/112", blockSize: 124 });
    const line = ["affinity", "ensure", "--host", "n1", "--family", "4", "--family", "6"];
    const { exit, out } = await plat(...line);
    expect(exit).toBe(0);
    expect(out).toMatch(
      /^CIDR +FAMILY +POOL\n10\.0\.0\.\d+\/28 +IPv4 +main\nfd00::\S+ +IPv6 +six\n$/,
    );
    expect((await plat(...line)).out).toBe(out);
  });

  it("keeps in it what the host reserves, in the pools that are named, for the owner's type", async () => {
    await pool();
    await pool("other", { cidr: "10.1.0.0/24", blockSize: 28 });
    const { out } = await plat(
      ...["affinity", "ensure", "--host", "w", "--affinity-type", "virtual", "--family", "4"],
      ...[
        "--pool",
        "other",
        "--host-reserved-start",
        "3",
        "--host-reserved-end",
        "1",
        "-o",
        "json",
      ],
    );
    const [block] = JSON.parse(out).blocks;
    expect(block.pool).toBe("other");
    expect((await call("GET", `/v1/blocks/${block.cidr}`)).body).toMatchObject({
      affinityType: "virtual",
      hostReserved: 4,
    });
  });

  it("needs a family", async () => {
    const { exit, err } = await plat("affinity", "ensure", "--host", "n1");
    expect(exit).toBe(2);
    expect(err).toContain("--family");
  });
});

describe("plat affinity release", () => {
  it("takes one block from its host, and leaves the addresses their owners'", async () => {
    await pool();
    await plat("assign", "--host", "n1", "--address", "10.0.0.1", "--handle", "a");
    await claim("10.0.0.16/28", "n1");
    expect(await plat("affinity", "release", "10.0.0.0/28", "--host", "n1")).toMatchObject({
      exit: 0,
      out: "CIDR          STATUS     IN USE   COOLING\n10.0.0.0/28   disowned   1        0\n",
    });
    expect((await plat("address", "get", "10.0.0.1")).out).toContain("assigned");
    expect((await plat("affinity", "get")).out).toContain("10.0.0.16/28");
  });

  it("takes all of them with --all", async () => {
    await pool();
    await call("PUT", "/v1/config", { blockMinAgeSeconds: 0 });
    await claim("10.0.0.0/27", "n1");
    await claim("10.0.0.32/28", "n1", "--affinity-type", "virtual");
    expect((await plat("affinity", "release", "--host", "n1", "--all")).out).toBe(
      [
        "CIDR           STATUS    IN USE   COOLING",
        "10.0.0.0/28    deleted   <none>   <none>",
        "10.0.0.16/28   deleted   <none>   <none>",
        "",
      ].join("\n"),
    );
    expect((await plat("affinity", "get", "-o=custom-columns=CIDR:.cidr")).out).toBe(
      "CIDR\n10.0.0.32/28\n",
    );
  });

  it("goes on page by page, and tells what is done where it is cut off", async () => {
    const progress: string[] = [];
    const url = await wayTo(shell.server().url, async ({ before }) =>
      before < 2
        ? { affinities: [{ cidr: `10.0.${before}.0/28`, status: "deleted" }], next: "more" }
        : "lost",
    );
    const { exit, out } = await platWith(
      { progress },
      ...["affinity", "release", "--host", "n1", "--all", "--yes", "--endpoint", url, "-o", "json"],
    );
    expect(exit).toBe(3);
    expect(JSON.parse(out).affinities).toHaveLength(2);
    expect(progress).toEqual(["blocks of n1", "1 block of n1", "2 blocks of n1"]);
  });

  it("asks before, with what stays assigned, and shows the blocks with --dry-run", async () => {
    await pool();
    await plat("assign", "--host", "n1", "--address", "10.0.0.1", "--handle", "a");
    await plat("affinity", "claim", "10.0.0.16/28", "--host", "n1");
    const { questions, ask } = person(false);
    const line = ["affinity", "release", "--host", "n1"];
    for (const more of [["--all"], ["10.0.0.0/24", "--must-be-empty"], ["10.0.0.0/28"]])
      expect((await platWith({ ask }, ...line, ...more)).exit).toBe(1);
    expect(questions).toEqual([
      "Release 2 blocks of host n1? 1 address in them stays assigned.",
      "Release 1 block of host n1? No address in it is assigned.",
      "Release 1 block of host n1? 1 address in it stays assigned.",
    ]);
    const { exit, out } = await plat(...line, "--all", "--dry-run");
    expect(exit).toBe(0);
    expect(out).toMatch(/^10\.0\.0\.0\/28 +main +1 +would_release$/m);
    expect((await plat("affinity", "get", "--host", "n1", "-o", "name")).out).toBe(
      "10.0.0.0/28\n10.0.0.16/28\n",
    );
  });

  it("keeps with --must-be-empty what is in use or cools, and exits with 1, also in a dry run", async () => {
    await pool();
    await plat("assign", "--host", "n1", "--address", "10.0.0.1", "--handle", "a");
    await plat("assign", "--host", "n1", "--address", "10.0.0.17", "--handle", "b");
    await plat("release", "--handle", "b");
    await claim("10.0.0.32/28", "n1");
    const line = ["affinity", "release", "--host", "n1", "--all", "--must-be-empty"];
    const why =
      "Error: Block 10.0.0.0/28 is not released (and 1 more): it has assigned or cooling addresses.\n  code: not_empty\n";
    const shown = await plat(...line, "--dry-run");
    expect(shown).toMatchObject({ exit: 1, err: `${DRY_RUN}${why}` });
    expect(shown.out).toMatch(/^10\.0\.0\.0\/28 +main +1 +not_empty$/m);
    expect(shown.out).toMatch(/^10\.0\.0\.16\/28 +main +0 +not_empty$/m);
    expect(shown.out).toMatch(/^10\.0\.0\.32\/28 +main +0 +would_release$/m);
    const { questions, ask } = person(false);
    await platWith({ ask }, ...line);
    expect(questions).toEqual(["Release 1 block of host n1? No address in it is assigned."]);
    const { exit, out, err } = await plat(...line);
    expect({ exit, err }).toEqual({ exit: 1, err: why });
    expect(out).toContain("10.0.0.0/28    not_empty   1        0");
    expect(out).toContain("10.0.0.16/28   not_empty   0        1");
  });

  it("exits with 1 where the block is another's", async () => {
    await pool();
    await claim("10.0.0.0/28", "n1");
    const { exit, err } = await plat("affinity", "release", "10.0.0.0/28", "--host", "n2");
    expect(exit).toBe(1);
    expect(err).toBe(
      "Error: Block 10.0.0.0/28 is not released: it belongs to another host, or to none.\n  code: not_owned\n",
    );
  });

  it("tells the same in a dry run, and nothing of a range without blocks of the host", async () => {
    await pool();
    await claim("10.0.0.0/28", "n1");
    const release = (range: string, ...more: readonly string[]) =>
      plat("affinity", "release", range, "--host", "n2", ...more);
    for (const range of ["10.0.0.0/28", "10.9.0.0/26"]) {
      const { exit, err } = await release(range, "--dry-run");
      expect({ range, exit }).toEqual({ range, exit: (await release(range, "--yes")).exit });
      if (exit === 1) expect(err).toContain("code: not_owned\n");
    }
    expect((await release("10.0.0.0/28", "--dry-run")).exit).toBe(1);
    expect(await release("10.0.0.0/24", "--dry-run")).toMatchObject({ exit: 0 });
    for (const more of ["--dry-run", "--yes"])
      expect((await release("here", more)).err).toContain("is not a CIDR such as 10.0.0.0/16");
  });

  it.each([
    [["affinity", "release", "--host", "n1"]],
    [["affinity", "release", "10.0.0.0/28", "--host", "n1", "--all"]],
  ])("%j says too little or too much", async (line) => {
    const { exit, err } = await plat(...line);
    expect(exit).toBe(2);
    expect(err).toContain("needs the CIDR of a block, or --all");
  });
});
