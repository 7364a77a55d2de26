import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { terminal } from "./terminal.ts";

const { plat, platWith } = terminal();

describe("plat", () => {
  it("says its version", async () => {
    expect(await plat("--version")).toEqual({ exit: 0, out: `${manifest.version}\n`, err: "" });
  });

  it("helps on stdout where it is asked to, with the options that every command takes", async () => {
    for (const args of [
      ["--help"],
      ["pool", "--help"],
      ["pool", "get", "--help"],
      ["help", "pool"],
    ]) {
      const { exit, out, err } = await plat(...args);
      expect({ exit, err }).toEqual({ exit: 0, err: "" });
      expect(out).toMatch(/^Usage: plat /);
      expect(out).toContain("--endpoint <url>");
    }
  });

  it("says on stderr what is wrong with a line, and exits with 2", async () => {
    for (const [args, said] of [
      [[], "Usage: plat "],
      [["pol"], "error: unknown command 'pol'\n(Did you mean pool?)"],
      [["pool", "get", "--wide"], "error: unknown option '--wide'"],
      [["pool", "get", "a", "b"], "error: too many arguments for 'get'"],
      [["pool", "delete"], "error: missing required argument 'name'"],
      [["pool", "get", "-o", "xml"], 'plat: -o is "xml"; it must be '],
      [["pool", "get", "--endpoint", "here"], 'plat: The endpoint is "here"; it must be a URL '],
    ] as const) {
      const { exit, out, err } = await plat(...args);
      expect({ args, exit, out }).toEqual({ args, exit: 2, out: "" });
      expect(err).toContain(said);
    }
  });

  it("takes the endpoint and the space from its options rather than from the environment", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/16");
    const env = { PLAT_ENDPOINT: "http://127.0.0.1:1" };
    expect((await platWith({ env }, "pool", "get")).exit).toBe(3);
    const elsewhere = await plat("pool", "get", "--space", "elsewhere", "-o", "json");
    expect(JSON.parse(elsewhere.out)).toEqual({ pools: [] });
    expect((await plat("--space", "elsewhere", "pool", "get", "web")).exit).toBe(1);
  });
});
