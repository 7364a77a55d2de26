import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { files } from "../file.ts";
import { terminal } from "../terminal.ts";

const { plat, platWith, space } = terminal();
const file = files();

/** Two lines in Windows-1252, the second of which has `müller`. */
const WINDOWS = Buffer.from("# a line\nm\u00fcller,b\n", "latin1");
const SAID = /, line 2, is not UTF-8: "m\ufffdller,b"\. Save it as UTF-8\.$/m;

/** Every command that reads a file, with the arguments before the name of the file. */
const COMMANDS = [
  "pool apply -f",
  "node apply -f",
  "namespace apply -f",
  "quota apply -f",
  "reservation apply -f",
  "application apply -f",
  "node cilium apply --mode crd -f",
  "import csv -f",
  "import calico -f",
  "import netbox -f",
  "batch",
  "event send",
  "check --covers nodes --inventory",
  "release --from-report",
  "collect --covers nodes --state state.json --inventory",
  "restore --yes --table t --inventory",
];

describe("a file that is not UTF-8", () => {
  it.each(COMMANDS)("ends plat %s with exit code 2 and the line", async (command) => {
    const path = await file("windows.txt", WINDOWS);
    const ended = await plat(...command.split(" "), path);
    expect(ended).toMatchObject({ exit: 2, out: "" });
    expect(ended.err).toMatch(SAID);
    expect(ended.err).toContain(path);
  });

  it("is told on stdin as well", async () => {
    const ended = await platWith({ stdin: WINDOWS }, "batch", "-");
    expect(ended).toMatchObject({ exit: 2, out: "" });
    expect(ended.err).toMatch(SAID);
  });

  it.each([
    ["check", "--since"],
    ["collect", "--state"],
  ])("ends plat %s, whose %s it is, with exit code 2 and the line", async (verb, option) => {
    const before = await file("before.json", WINDOWS);
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } };
    const inventory = await file("inventory.json", JSON.stringify({ kind: "List", items: [node] }));
    const taken = ["--taken-at", "2026-01-01T00:00:00Z", "--covers", "nodes"];
    const ended = await plat(verb, "--inventory", inventory, ...taken, option, before);
    expect(ended).toMatchObject({ exit: 2, out: "" });
    expect(ended.err).toMatch(SAID);
    expect(await readFile(before)).toEqual(WINDOWS);
  });

  it.each(["trail.jsonl", "trail.jsonl.gz"])(
    "ends plat restore, of whose trail %s is one, with exit code 2 and the line",
    async (name) => {
      const bytes = name.endsWith(".gz") ? gzipSync(WINDOWS) : WINDOWS;
      const folder = join(dirname(await file("beside", "")), `${space()}-trail`);
      await mkdir(folder);
      await writeFile(join(folder, name), bytes);
      const ended = await plat("restore", "--yes", "--table", "t", "--trail", folder);
      expect(ended).toMatchObject({ exit: 2, out: "" });
      expect(ended.err).toMatch(SAID);
    },
  );
});

describe("a file with a byte order mark, as Windows writes it", () => {
  const MARK = "\ufeff";

  it("is read as one without it, as JSON, as a table and as lines", async () => {
    await plat("pool", "create", "main", "--cidr", "10.0.0.0/24");
    const entry = { id: 1, address: "10.0.0.1/24" };
    const netbox = await file("netbox.json", `${MARK}${JSON.stringify([entry])}`);
    expect((await plat("import", "netbox", "-f", netbox)).exit).toBe(0);
    const table = await file("table.csv", `${MARK}address,handle,host\r\n10.0.0.2,a,n1\r\n`);
    expect((await plat("import", "csv", "-f", table)).exit).toBe(0);
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } };
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: [node] });
    const inventory = await file("inventory.json", `${MARK}${list}`);
    const check = ["check", "--inventory", inventory, "--taken-at", "2026-01-01T00:00:00Z"];
    expect((await plat(...check, "--covers", "nodes")).exit).toBe(0);
    const event = JSON.stringify({ type: "node.upsert", node: { name: "n1" } });
    const lines = await platWith(
      { stdin: `${MARK}${event}\r\n${MARK}${event}\r\n` },
      "event",
      "send",
      "-",
    );
    expect(lines.err).not.toContain("JSON");
  });
});

describe("the sources of the command", () => {
  it("read text in these files only, which check that it is UTF-8", async () => {
    const names = await readdir("src/cli", { recursive: true });
    const readers: string[] = [];
    for (const name of names.filter((one) => one.endsWith(".ts")))
      if (/\breadFile|consumers"/.test(await readFile(join("src/cli", name), "utf8")))
        readers.push(name);
    expect(readers.sort()).toEqual(["shell/files.ts", "shell/input.ts"]);
  });
});
