import { expect, it } from "vitest";
import { parse } from "yaml";
import type { Given } from "../terminal.ts";
import { terminal } from "../terminal.ts";

const { plat, platWith, call } = terminal();

/** Makes a terminal whose pauses make a change each, and whose person presses Ctrl-C in the last one. */
function changing(...changes: readonly (() => Promise<unknown>)[]): Given {
  const left = [...changes];
  let press: (() => void) | undefined;
  return {
    interrupt: (pressed) => {
      press ??= pressed;
    },
    async sleep(_, signal) {
      const change = left.shift();
      if (change) await change();
      else press?.();
      signal?.throwIfAborted();
    },
  };
}

const putPool = (name: string, fields: object) => call("PUT", `/v1/pools/${name}`, fields);

it("plat pool get --watch prints the list, and then each new or changed pool, until Ctrl-C", async () => {
  await putPool("a", { cidr: "10.0.0.0/24" });
  const given = changing(
    async () => {},
    () => putPool("a-longer-name", { cidr: "10.0.1.0/24" }),
    () => plat("pool", "drain", "a", "--yes"),
  );
  const { exit, out } = await platWith(given, "pool", "get", "--watch", "-o", "name");
  expect(exit).toBe(0);
  expect(out).toBe("a\na-longer-name\na\n");
});

it("a table that is watched has its header once, and later rows as wide as the whole table", async () => {
  await putPool("pool-with-a-long-name", { cidr: "10.0.0.0/24" });
  const given = changing(() => putPool("b", { cidr: "10.0.1.0/24" }));
  const { out } = await platWith(given, "pool", "get", "-w");
  const [header = "", , row = ""] = out.split("\n");
  expect(row).toMatch(/^b {20} /);
  expect(row.indexOf("10.0.1.0/24")).toBe(header.indexOf("CIDR"));
});

it("a list that is watched in JSON is one object a line", async () => {
  await putPool("a", { cidr: "10.0.0.0/24" });
  const { out } = await platWith(changing(), "pool", "get", "-w", "-o", "json");
  expect(
    out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).name),
  ).toEqual(["a"]);
});

it("one object that is watched is printed when it changes", async () => {
  await putPool("a", { cidr: "10.0.0.0/24" });
  const assign = () => plat("assign", "--host", "n1", "--ipv4", "1", "--handle", "web-0");
  const given = changing(assign, async () => {});
  const { out } = await platWith(given, "address", "get", "--watch", "-o", "jsonpath={.handle}");
  expect(out).toBe("web-0\n");
});

it("one object that is watched is a line in JSON, and a document of its own in YAML", async () => {
  await putPool("a", { cidr: "10.0.0.0/26" });
  const assign = (handle: string) =>
    plat("assign", "--host", "n1", "--ipv4", "1", "--handle", handle);
  await assign("first");
  const watched = async (format: string) => {
    const given = changing(() => assign(format));
    return (await platWith(given, "block", "get", "10.0.0.0/26", "-w", "-o", format)).out;
  };
  const lines = (await watched("json")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).inUse)).toEqual([1, 2]);
  const [start, ...documents] = (await watched("yaml")).split("---\n");
  expect(start).toBe("");
  expect(documents.map((text) => parse(text).inUse)).toEqual([2, 3]);
});

it("notes an empty list once, and ends with the exit code of a look that fails", async () => {
  const { err } = await platWith(
    changing(async () => {}),
    "pool",
    "get",
    "-w",
  );
  expect(err.match(/Note:/g)).toHaveLength(1);
  await plat("reservation", "create", "routers", "--cidr", "10.0.0.1");
  const gone = changing(() => plat("reservation", "delete", "routers", "--yes"));
  expect((await platWith(gone, "reservation", "get", "routers", "-w")).exit).toBe(1);
});
