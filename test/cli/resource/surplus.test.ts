import { describe, expect, it } from "vitest";
import { minutes } from "../minutes.ts";
import { terminal } from "../terminal.ts";

const shell = terminal();
const { plat, platWith, call } = shell;
const { workAMinuteLater } = minutes(shell);

const mars = (cidrs: readonly string[]) => `apiVersion: cilium.io/v2alpha1
kind: CiliumPodIPPool
metadata:
  creationTimestamp: "2026-03-11T08:12:45Z"
  generation: 1
  name: mars
  resourceVersion: "1192"
spec:
  ipv4:
    cidrs: ${JSON.stringify(cidrs)}
    maskSize: 27
  ipv6:
    cidrs:
    - fd00:10::/104
    maskSize: 120
`;

const TWO = mars(["10.10.0.0/16", "10.20.0.0/16"]);
const ONE = mars(["10.10.0.0/16"]);
const V6 = "ippool/mars.fd00-10---104";

const applied = (stdin: string, ...more: readonly string[]) =>
  platWith({ stdin }, "pool", "apply", "-f", "-", ...more);

const namesOf = async () =>
  (await plat("pool", "get", "-o", "name")).out.split("\n").filter((line) => line !== "");

const taken = (pool: string) =>
  call("POST", "/v1/nodes/n1/pod-cidrs", { uid: "u1", pools: [pool] });

describe("plat pool apply of a CiliumPodIPPool", () => {
  it("creates a pool of prefixes for each network, then finds them unchanged", async () => {
    expect(await applied(TWO)).toEqual({
      exit: 0,
      out: `ippool/mars.10-10-0-0-16 created\nippool/mars.10-20-0-0-16 created\n${V6} created\n`,
      err: "",
    });
    expect((await applied(TWO)).out.match(/ unchanged\n/g)).toHaveLength(3);
    const { out } = await plat("pool", "get", "mars.10-20-0-0-16", "-o", "json");
    expect(JSON.parse(out)).toMatchObject({
      cidr: "10.20.0.0/16",
      assign: "prefixes",
      blockSize: 27,
      assignmentMode: "Manual",
    });
  });

  it("deletes the pool of a network that it has no more, and leaves pools of other names", async () => {
    await applied(TWO);
    await plat(...["pool", "create", "mars.own", "--cidr", "10.30.0.0/16", "--assign", "prefixes"]);
    const dry = await applied(ONE, "--dry-run");
    expect(dry.out).toContain("ippool/mars.10-20-0-0-16 deleted (dry run)\n");
    expect(await namesOf()).toHaveLength(4);
    const waited = await platWith(
      { stdin: ONE, sleep: workAMinuteLater },
      ...["pool", "apply", "-f", "-", "--wait"],
    );
    expect(waited.exit).toBe(0);
    expect(waited.out).toMatch(/^ippool\/mars\.10-20-0-0-16 deleted\njob delete-\S+ done\n$/m);
    expect(waited.err).toMatch(/^Note: job delete-\S+ deletes ippool\/mars\.10-20-0-0-16\.\n$/m);
    expect(await namesOf()).toEqual(["mars.10-10-0-0-16", "mars.fd00-10---104", "mars.own"]);
  });

  it("refuses to delete a pool in use before anything is written", async () => {
    await applied(TWO);
    await taken("mars.10-20-0-0-16");
    const { exit, out, err } = await applied(mars(["10.10.0.0/16", "10.40.0.0/16"]));
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toMatch(/^Error: ippool\/mars\.10-20-0-0-16: 1 prefix of pool .* is assigned/);
    expect(err).toMatch(/code: pool_in_use\n.*\nError: 1 of 4 failed\. Nothing was written\.\n$/);
    expect(await namesOf()).toHaveLength(3);
  });

  it("refuses an invalid manifest, and one that is there twice", async () => {
    expect(await applied(mars(["10.10.0.0"]))).toMatchObject({
      exit: 2,
      err: expect.stringMatching(/^Error: CiliumPodIPPool mars: spec\.ipv4\.cidrs\[0\] is not a /),
    });
    expect(await applied(`${ONE}---\n${mars(["10.40.0.0/16"])}`)).toMatchObject({ exit: 2 });
    const [first] = ONE.split("  ipv6:");
    const twice = `${first}---\n${first?.replace("10.10.0.0", "10.40.0.0")}`;
    expect((await applied(twice)).err).toBe(
      "Error: CiliumPodIPPool mars is described more than once.\n",
    );
    expect(await namesOf()).toEqual([]);
  });
});
