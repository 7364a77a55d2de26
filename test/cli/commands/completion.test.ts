import { describe, expect, it } from "vitest";
import { files } from "../file.ts";
import { terminal } from "../terminal.ts";

const { plat } = terminal();
const file = files();

const offered = async (...words: readonly string[]) => {
  const { exit, out } = await plat("complete", "--", ...words);
  expect(exit).toBe(0);
  return out
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith(":"))
    .map((line) => line.split("\t")[0]);
};

describe("plat complete", () => {
  it("offers the commands, with what they are for, but not itself", async () => {
    const { out } = await plat("complete", "--", "");
    expect(out).toContain("pool\tShow, create and change pools of addresses\n");
    expect(await offered("comp")).toEqual(["completion"]);
    expect(await offered("completion", "")).toEqual(["bash", "zsh", "fish", "powershell"]);
  });

  it("offers the options of a command, and those that every one takes", async () => {
    expect(await offered("pool", "drain", "web", "--")).toEqual(
      expect.arrayContaining([
        "--wait",
        "--dry-run",
        "--output",
        "--help",
        "--endpoint",
        "--space",
      ]),
    );
    expect(await offered("node", "get", "--w")).toEqual([]);
  });

  it("offers the values of an option where they can be listed", async () => {
    expect(await offered("pool", "get", "-o", "")).toEqual([
      "wide",
      "name",
      "json",
      "yaml",
      "jsonpath=",
      "custom-columns=",
    ]);
    expect(await offered("pool", "create", "a", "--borrowing", "f")).toEqual(["forbidden"]);
    expect(await offered("--space", "")).toEqual([]);
  });

  it("offers files where one is asked for", async () => {
    const path = await file("pools.yaml", "");
    const folder = path.slice(0, -"pools.yaml".length);
    expect(await offered("pool", "apply", "-f", `${folder}po`)).toEqual([path]);
    expect(await offered("pool", "apply", "-f", "/nowhere/")).toEqual([]);
  });
});

describe("plat completion", () => {
  it.each(["bash", "zsh", "fish", "powershell"])(
    "prints a script for %s that asks plat",
    async (shell) => {
      const { exit, out } = await plat("completion", shell);
      expect(exit).toBe(0);
      expect(out).toMatch(/plat'? complete/);
    },
  );

  it("knows no other shell", async () => {
    expect((await plat("completion", "tcsh")).exit).toBe(2);
  });
});
