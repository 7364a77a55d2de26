import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { type Column, tableText } from "../../../src/cli/output/table.ts";
import { styleOf } from "../../../src/cli/shell/style.ts";

interface Row {
  readonly name: string;
  readonly state: string | undefined;
  readonly why: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { header: "NAME", value: ({ name }) => name, long: "cut" },
  { header: "STATE", value: ({ state }) => state, isState: true },
  { header: "WHY", value: ({ why }) => why, long: "wrap" },
  { header: "LENGTH", value: ({ why }) => why.length, wide: true },
];

const WHY = "It waits for 3 addresses to be released, and for 2 of them to cool after that.";
const HANDLE = `k8s-pod-network.${"0123456789abcdef".repeat(4)}`;
const row = (name: string, why: string): Row => ({ name, state: "done", why });

const PIPE = { isWide: false, columns: undefined, style: styleOf(false) };
const lines = (rows: readonly Row[], layout = {}) =>
  tableText(COLUMNS, rows, { ...PIPE, ...layout })
    .trimEnd()
    .split("\n");

describe("a table", () => {
  it("has a row in one line where that fits, and says what there is none of", () => {
    expect(lines([row("web", "It is over."), { ...row("a", ""), state: undefined }])).toEqual([
      "NAME   STATE    WHY",
      "web    done     It is over.",
      "a      <none>",
    ]);
  });

  it("has more rows than one call takes arguments, each as wide as the whole", () => {
    const columns: readonly Column<number>[] = [{ header: "N", value: (n) => n }];
    const text = tableText(columns, [...Array(130_000).keys()], PIPE);
    expect(text).toMatch(/^N\n0\n1\n/);
    expect(text).toMatch(/\n129999\n$/);
  });

  it("has its columns where they are, also below the rows that are laid out together", () => {
    const rows = Array.from({ length: 1_001 }, (_, i) => row(`n${i}`, "It is over."));
    const all = lines(rows);
    expect(all).toHaveLength(1_002);
    expect([all[0], all[1], all.at(-1)]).toEqual([
      "NAME    STATE   WHY",
      "n0      done    It is over.",
      "n1000   done    It is over.",
    ]);
  });

  it("has a column that is wide if it is empty where a row has a value in it", () => {
    const columns: readonly Column<Row>[] = [
      { header: "NAME", value: ({ name }) => name },
      { header: "STATE", value: ({ state }) => state, wide: "if empty" },
    ];
    const [empty, done] = [{ ...row("a", ""), state: undefined }, row("web", "")];
    const text = (rows: readonly Row[], isWide = false) =>
      tableText(columns, rows, { ...PIPE, isWide });
    expect(text([empty])).toBe("NAME\na\n");
    expect(text([empty], true)).toBe("NAME   STATE\na      <none>\n");
    expect(text([empty, done])).toBe("NAME   STATE\na      <none>\nweb    done\n");
  });

  it("breaks sentences between words, so that it is no wider than 80 columns", () => {
    const shown = lines([row("web", WHY)]);
    expect(Math.max(...shown.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(shown.slice(1).map((line) => line.slice(15).trim())).toEqual([
      "It waits for 3 addresses to be released, and for 2 of them to",
      "cool after that.",
    ]);
  });

  it("uses all of a terminal that is wider, and with -o wide breaks nothing", () => {
    expect(lines([row("web", WHY)], { columns: 120 })).toHaveLength(2);
    expect(lines([row("web", WHY)], { columns: 40, isWide: true })).toEqual([
      `NAME   STATE   WHY${" ".repeat(WHY.length)}LENGTH`,
      `web    done    ${WHY}   ${WHY.length}`,
    ]);
  });

  it("cuts long names on a terminal, and leaves them whole in a pipe", () => {
    const [, cut = ""] = lines([row(HANDLE, "x")], { columns: 80 });
    expect(cut).toMatch(/^k8s-pod-network\.[0-9a-f]+… {3}done {4}x$/);
    expect(cut.length).toBeLessThanOrEqual(80);
    expect(lines([row(HANDLE, "x")])[1]).toBe(`${HANDLE}   done    x`);
  });

  it("shows control characters as text, so that no value acts in a terminal or ends a line", () => {
    expect(lines([row("a\u001b[2J\nb\u009b", "x")])[1]).toBe(
      "a\\u001b[2J\\u000ab\\u009b   done    x",
    );
  });

  it("has whole names of wide characters in a pipe, and cuts no character in two on a terminal", () => {
    const name = "漢字".repeat(30);
    expect(lines([row(name, "x"), row("web", "x")])).toEqual([
      `NAME${" ".repeat(116)}   STATE   WHY`,
      `${name}   done    x`,
      `web${" ".repeat(117)}   done    x`,
    ]);
    const [, cut = ""] = lines([row("😀".repeat(60), "x")], { columns: 80 });
    expect(cut).toMatch(/^(😀)+… +done {4}x$/u);
  });

  it("breaks a sentence of wide characters, and loses nothing of it", () => {
    const [, ...shown] = lines([row("web", "漢字".repeat(40))]);
    expect(shown.map((line) => line.slice(15).trim()).join("")).toBe("漢字".repeat(40));
  });

  it("breaks a word that is longer than its line, and loses nothing of it", () => {
    const [, ...shown] = lines([row("web", HANDLE)]);
    expect(shown.map((line) => line.slice(15).trim()).join("")).toBe(HANDLE);
  });

  it("shows headers and states in colors where there are some, with the same columns", () => {
    const rows = [row("web", "x"), { ...row("a", "y"), state: "failed" }];
    const painted = lines(rows, { style: styleOf(true) });
    expect(painted[0]).toContain("\u001b[1mNAME\u001b[22m");
    expect(painted[1]).toContain("\u001b[32mdone\u001b[39m");
    expect(painted[2]).toContain("\u001b[31mfailed\u001b[39m");
    const plain = painted.map((line) => stripVTControlCharacters(line).trimEnd());
    expect(plain).toEqual(lines(rows));
  });
});
