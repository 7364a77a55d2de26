import { describe, expect, it } from "vitest";
import { files } from "../file.ts";
import { terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const { plat, platWith, space, server } = terminal();
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
    expect(await offered("node", "get", "--w")).toEqual(["--watch"]);
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
    expect(await offered("--region", "")).toEqual([]);
  });

  it("offers files where one is asked for", async () => {
    const path = await file("pools.yaml", "");
    const folder = path.slice(0, -"pools.yaml".length);
    expect(await offered("pool", "apply", "-f", `${folder}po`)).toEqual([path]);
    expect(await offered("pool", "apply", "-f", "/nowhere/")).toEqual([]);
    for (const words of [
      ["import", "calico", "-f"],
      ["restore", "--table", "t", "--trail"],
      ["trace"],
      ["trace", "assign.map"],
    ])
      expect(await offered(...words, `${folder}po`)).toEqual([path]);
  });
});

describe("plat complete, where a name is to come", () => {
  const makeSpace = async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/24", "--block-size", "28");
    await plat("pool", "create", "wide", "--cidr", "10.1.0.0/24");
    await plat("assign", "--host", "n1", "--address", "10.0.0.1", "--handle", "pod-1");
    await plat("assign", "--host", "n2", "--address", "10.0.0.17", "--handle", "pod-2");
    await platWith({ stdin: "{nodes: [{name: n3, labels: {}}]}" }, "node", "apply", "-f", "-");
    await plat("reservation", "create", "gateways", "--cidr", "10.0.0.64/28");
  };

  it("offers what the server has", async () => {
    await makeSpace();
    const { out: job } = await plat("pool", "drain", "wide", "--yes", "-o", "name");
    for (const [line, names] of [
      ["pool get ", ["web", "wide"]],
      ["pool describe ", ["web", "wide"]],
      ["pool drain we", ["web"]],
      ["split 2 ", ["web", "wide"]],
      ["assign --host n1 --pool wi", ["wide"]],
      ["assign --host ", ["n1", "n2", "n3"]],
      ["node delete ", ["n3"]],
      ["reservation get ", ["gateways"]],
      ["block get ", ["10.0.0.0/28", "10.0.0.16/28"]],
      ["affinity claim 10.0.0.1", ["10.0.0.16/28"]],
      ["handle get ", ["pod-1", "pod-2"]],
      ["release --handle pod-2", ["pod-2"]],
      ["job get ", [job.trim()]],
      ["pool get --space ", expect.arrayContaining(["default", space()])],
      ["pool create ", []],
    ] as const)
      expect({ line, names: await offered(...line.split(" ")) }).toEqual({ line, names });
  });

  it("asks the API and the space that the line names", async () => {
    await plat("pool", "create", "web", "--cidr", "10.0.0.0/24");
    expect(await offered("--space", "another", "pool", "get", "")).toEqual([]);
    expect(await offered("pool", "get", "--space", space(), "")).toEqual(["web"]);
    expect(await offered("--endpoint", "http://127.0.0.1:1", "pool", "get", "")).toEqual([]);
  });

  it("asks nothing where no name is to come", async () => {
    const asked: string[] = [];
    const url = await wayTo(server().url, async ({ route }) => void asked.push(route));
    for (const line of ["po", "pool ", "pool get --", "pool get -o ", "pool get "])
      await offered("--endpoint", url, ...line.split(" "));
    expect(asked).toEqual(["GET /v1/pools"]);
  });

  it.each(["http://127.0.0.1:1", "ftp://nowhere", "http://plat.invalid"])(
    "is silent where %s does not answer",
    async (endpoint) => {
      const env = { PLAT_ENDPOINT: endpoint };
      const { exit, out, err } = await platWith({ env }, "complete", "--", "pool", "get", "");
      expect({ exit, out, err }).toEqual({ exit: 0, out: ":4\n", err: "" });
    },
  );

  it("offers what has come by then where an answer does not come", async () => {
    await makeSpace();
    const url = await wayTo(server().url, async ({ route }) =>
      route === "GET /v1/nodes" ? new Promise(() => {}) : undefined,
    );
    expect(await offered("--endpoint", url, "assign", "--host", "")).toEqual(["n1", "n2"]);
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
