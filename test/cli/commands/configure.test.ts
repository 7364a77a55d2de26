import { describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { plat, call } = terminal();

const settings = async () => (await call("GET", "/v1/config")).body;

describe("plat configure", () => {
  it("sets what calicoctl sets, and says from when on it holds", async () => {
    const { exit, out } = await plat(
      "configure",
      "--strictaffinity=true",
      "--max-blocks-per-host=4",
    );
    expect(exit).toBe(0);
    expect(out).toMatch(
      /^Successfully set StrictAffinity to: true\nSuccessfully set MaxBlocksPerHost to: 4\nTakes effect everywhere by \S+Z\n$/,
    );
    expect(await settings()).toMatchObject({ strictAffinity: true, maxBlocksPerHost: 4 });
  });

  it("leaves the other settings as they are", async () => {
    await plat("configure", "--cooldown-seconds", "90");
    await plat("configure", "--strictaffinity", "true");
    await plat("configure", "--strictaffinity", "false");
    expect(await settings()).toMatchObject({ strictAffinity: false, cooldownSeconds: 90 });
  });

  it("has an option for every setting", async () => {
    const before = await settings();
    const { exit } = await plat(
      ...["configure", "--strictaffinity=true", "--max-blocks-per-host=4"],
      ...["--auto-allocate-blocks=false", "--warm-blocks-per-host=2", "--cooldown-seconds=90"],
      "--conflict-quarantine-seconds=60",
      ...["--block-min-age-seconds=120", "--max-addresses-per-request=8"],
      ...["--allow-bare-release=true", "--require-registered-hosts=true"],
      ...["--node-quarantine-seconds=60", "--gone-nodes-percent-max=100"],
      ...["--node-monitor-grace-seconds=50", "--node-startup-grace-seconds=90"],
      "--indexed-attributes=tenant,cluster",
    );
    expect(exit).toBe(0);
    const after = await settings();
    for (const name of Object.keys(before)) expect(after[name]).not.toEqual(before[name]);
  });

  it("asks for at least one setting, and for values that are some", async () => {
    expect(await plat("configure")).toEqual({
      exit: 2,
      out: "",
      err: "Error: Name at least one setting; `plat configure --help` lists them.\n",
    });
    const { exit, err } = await plat("configure", "--strictaffinity=maybe");
    expect(exit).toBe(2);
    expect(err).toContain("argument 'maybe' is invalid. It must be true or false.");
  });

  it("sets the indexed attributes in their order, and shows them", async () => {
    const { out } = await plat("configure", "--indexed-attributes", "tenant,cluster");
    expect(out).toContain("Successfully set IndexedAttributes to: tenant,cluster\n");
    const shown = async () => (await plat("show", "--show-configuration")).out;
    expect(await shown()).toMatch(/^indexedAttributes +tenant,cluster$/m);
    expect((await plat("configure", "--indexed-attributes", "none")).exit).toBe(0);
    expect(await shown()).toMatch(/^indexedAttributes +none$/m);
  });

  it("sets no cap on the blocks of a host, and shows it", async () => {
    const { exit, out } = await plat("configure", "--max-blocks-per-host=none");
    expect(exit).toBe(0);
    expect(out).toContain("Successfully set MaxBlocksPerHost to: none\n");
    expect(await settings()).toMatchObject({ maxBlocksPerHost: null });
    expect((await plat("show", "--show-configuration")).out).toMatch(/^maxBlocksPerHost +none$/m);
  });
});
