import { describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { plat } = terminal();

/** Returns the words of a line. */
const wordsOf = (line: string) => line.split(" ").map((word) => word.replaceAll("'", ""));

describe("a line in the words of another tool", () => {
  it.each([
    ["get pools", "pool get"],
    ["get pools -o json", "pool get -o json"],
    ["get -o json pools", "pool get -o json"],
    ["get pool web", "pool get web"],
    ["get ippools", "pool get"],
    ["list pools", "pool get"],
    ["describe pool web", "pool get web"],
    ["describe node/node-1", "node get node-1"],
    ["create pool web --cidr 10.0.0.0/16", "pool create web --cidr 10.0.0.0/16"],
    ["delete pool web", "pool delete web"],
    ["delete pool/web --yes", "pool delete web --yes"],
    ["rm pool web", "pool delete web"],
    ["drain pool web", "pool drain web"],
    ["apply -f pools.yaml", "pool apply -f pools.yaml"],
    ["apply", "pool apply"],
    ["get", "pool get"],
    ["get addresses", "address get"],
    ["get ip 10.0.0.1", "address get 10.0.0.1"],
    ["create address 10.0.0.1", "assign --address 10.0.0.1"],
    ["delete address 10.0.0.1", "release --ip 10.0.0.1"],
    ["delete handle web-0", "release --handle web-0"],
    ["get prefixes", "prefix get"],
    ["get ns", "namespace get"],
    ["get quotas", "quota get"],
    ["pools", "pool get"],
    ["pools get web", "pool get web"],
    ["nodes delete node-1", "node delete node-1"],
    ["pool rm web", "pool delete web"],
    ["pool add web --cidr 10.0.0.0/16", "pool create web --cidr 10.0.0.0/16"],
    ["pool show web", "pool get web"],
    ["show pools", "pool get"],
    ["release 10.1.0.1", "release --ip 10.1.0.1"],
    ["release fd00::1", "release --ip fd00::1"],
    ["release web-0", "release --handle web-0"],
    ["show 10.1.0.1", "show --ip 10.1.0.1"],
    ["--space blue get pools", "--space blue pool get"],
    ["get pools -n blue", "pool get --space blue"],
    ["pool get -n blue", "pool get --space blue"],
    ["-n blue pool get", "--space blue pool get"],
    ["pool get -n=blue", "pool get --space=blue"],
    ["ipam show", "show"],
    ["ipam release --ip 10.0.0.1", "release --ip 10.0.0.1"],
  ])("plat: answers `%s` with the line `%s`, and exits with 2", async (line, meant) => {
    const { exit, out, err } = await plat(...wordsOf(line));
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    const [first, second] = err.split("\n");
    expect(first).toMatch(/^Error: (Unknown|Too many)/);
    expect(second).toBe(`  Type \`plat ${meant}\`.`);
    expect(err).not.toContain("Did you mean");
  });

  it("plat: names both options where -n may be a space or a namespace", async () => {
    const { err } = await plat(..."release -n shop --workload Pod/web-0".split(" "));
    expect(err).toContain(
      "Type `plat release --space shop --workload Pod/web-0` or `plat release --namespace shop --workload Pod/web-0`.",
    );
  });

  it("plat: quotes a word that a shell would split", async () => {
    const { err } = await plat("release", "it's web");
    expect(err).toContain("Type `plat release --handle 'it'\\''s web'`.");
  });

  it.each([
    ...["pool get a b", "pol", "frobnicate pool", "pool delete", "get nonsense", "pool drain"],
    ...["address list --state free", "address get --state free", "pool ls a b"],
  ])("plat: invents nothing for `%s`", async (line) => {
    const { exit, err } = await plat(...wordsOf(line));
    expect(exit).toBe(2);
    expect(err).not.toContain("Type `");
  });

  it("plat: each line that it names is one that it takes", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/16");
    for (const line of ["get pools", "describe pool web", "show 10.0.0.1", "get addresses"]) {
      const { err } = await plat(...wordsOf(line));
      const [, meant = ""] = /Type `plat (.+)`\./.exec(err) ?? [];
      expect({ meant, exit: (await plat(...wordsOf(meant))).exit }).toEqual({ meant, exit: 0 });
    }
  });
});
