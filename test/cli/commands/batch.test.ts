import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { spaceWithPool } from "../space.ts";
import { terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const { plat, platWith, call } = shell;
const pool = spaceWithPool(shell);

const assign = (handle: string, more: object = {}) => ({
  assign: { host: "n1", ipv4: 1, handle, ...more },
});
const linesOf = (...values: readonly unknown[]) =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");
const resultsIn = (out: string) =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
const addressesIn = (out: string): string[] =>
  resultsIn(out).flatMap(({ assigned }) =>
    assigned.addresses.map(({ address }: { address: string }) => address),
  );

describe("plat batch", () => {
  it("prints a result for each line, in their order", async () => {
    await pool();
    const stdin = `${linesOf(assign("a"))}\n${linesOf(assign("b"))}`;
    const { exit, out, err } = await platWith({ stdin }, "batch", "-");
    expect(exit).toBe(0);
    expect(err).toBe("2 requests done.\n");
    expect(resultsIn(out)).toMatchObject([
      { line: 1, index: 0, status: 200, assigned: { handle: "a" } },
      { line: 3, index: 1, status: 200, assigned: { handle: "b" } },
    ]);
  });

  it("takes no second address when it runs again", async () => {
    await pool();
    const first = await platWith({ stdin: linesOf(assign("a"), assign("b")) }, "batch", "-");
    const other = linesOf(assign("c"), assign("b"), assign("a"));
    const again = await platWith({ stdin: other }, "batch", "-");
    expect(addressesIn(again.out).slice(1)).toEqual(addressesIn(first.out).reverse());
    expect((await call("GET", "/v1/addresses?state=assigned")).body.addresses).toHaveLength(3);
  });

  it("assigns to each of two equal lines", async () => {
    await pool();
    const { out } = await platWith({ stdin: linesOf(assign("a"), assign("a")) }, "batch", "-");
    expect(new Set(addressesIn(out)).size).toBe(2);
  });

  it("reads a file with a JSON list, which has no lines, or with a body of the API", async () => {
    await pool();
    const list = JSON.stringify([assign("a")], undefined, 2);
    const file = join(mkdtempSync(join(tmpdir(), "batch-")), "requests.json");
    writeFileSync(file, list);
    const [result] = resultsIn((await plat("batch", file)).out);
    expect(result).toMatchObject({ index: 0, assigned: { handle: "a" } });
    expect(result.line).toBeUndefined();
    const body = JSON.stringify({ requests: [assign("a")] });
    const { out } = await platWith({ stdin: body }, "batch", "-");
    expect(resultsIn(out)[0].assigned.addresses).toEqual(result.assigned.addresses);
  });

  it("fails if a request is not done, and names the first on stderr", async () => {
    await pool();
    const stdin = linesOf(
      assign("a"),
      assign("b", { pools: ["nowhere"] }),
      assign("c", { ipv4: -1 }),
    );
    const { exit, out, err } = await platWith({ stdin }, "batch", "-");
    expect(exit).toBe(1);
    expect(resultsIn(out).map(({ status }) => status)).toEqual([200, 409, 400]);
    expect(err).toMatch(/^Error: 2 of 3 requests not done; the first is line 2: .*nowhere/);
  });

  it("fails if an address to release belongs to another assignment", async () => {
    await pool();
    const [address = ""] = addressesIn(
      (await platWith({ stdin: linesOf(assign("a")) }, "batch", "-")).out,
    );
    const wrong = { release: { addresses: [{ address, handle: "b" }] } };
    const failed = await platWith({ stdin: linesOf(wrong) }, "batch", "-");
    expect(failed.exit).toBe(1);
    expect(failed.err).toContain(`the first is line 1: ${address} is not released.`);
    const right = { release: { addresses: [{ address, handle: "a" }] } };
    expect((await platWith({ stdin: linesOf(right) }, "batch", "-")).exit).toBe(0);
  });

  it.each([
    ["a line that is no JSON", `${linesOf(assign("a"))}{"assign"\n`, "-, line 2: is not JSON: "],
    [
      "a line that has a field twice",
      `${linesOf(assign("a"))}{"assign":{"host":"n","ipv4":1,"ipv4":5}}\n`,
      "-, line 2: the field assign.ipv4 is there more than once.",
    ],
    [
      "a line without assign or release",
      linesOf(assign("a"), 7),
      "-, line 2: it must be an object",
    ],
    ["a release without addresses", linesOf(assign("a"), { release: {} }), "-, line 2: it must be"],
    ["no request", "\n", "- has no request."],
  ])("sends nothing of a file with %s", async (_, stdin, told) => {
    await pool();
    const { exit, out, err } = await platWith({ stdin }, "batch", "-");
    expect(exit).toBe(2);
    expect(out).toBe("");
    expect(err).toContain(told);
    expect((await call("GET", "/v1/blocks")).body.blocks).toEqual([]);
  });

  it("says what to look at first if a release in the file names no generation", async () => {
    await pool();
    const way = await wayTo(shell.server().url, async () => "cut");
    const release = { release: { addresses: [{ address: "10.0.0.1", handle: "a" }] } };
    const stdin = linesOf(assign("a"), release);
    const { exit, err } = await platWith({ stdin, env: { PLAT_ENDPOINT: way } }, "batch", "-");
    expect(exit).toBe(3);
    expect(err).toContain("1 release names no generation");
    expect(err).toContain(`\`plat address get 10.0.0.1 --space ${shell.space()}\``);
    expect(err).not.toContain("Run the same command again");
  });

  it("says what is answered if the API is out of reach, and how to go on", async () => {
    await pool();
    const way = await wayTo(shell.server().url, async () => "cut");
    const given = { stdin: linesOf(assign("a")), env: { PLAT_ENDPOINT: way } };
    const { exit, err } = await platWith(given, "batch", "-");
    expect(exit).toBe(3);
    expect(err).toContain("0 of 1 request answered. Run the same command again");
  });
});
