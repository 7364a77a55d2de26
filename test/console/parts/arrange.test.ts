import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matching, orderAfter, orderIn, sorted } from "../../../console/src/parts/arrange.ts";

interface Row {
  readonly name?: string | undefined;
  readonly count?: number;
}

const COLUMNS = [
  { title: "Name", value: ({ name }: Row) => name },
  { title: "Count", value: ({ count }: Row) => count, isCount: true },
  { title: "Details" },
];

const namesBy = (sort: string, names: readonly (string | undefined)[]) =>
  sorted(
    names.map((name) => ({ name })),
    COLUMNS,
    orderIn(sort),
  ).map(({ name }) => name);

describe("rows sorted by a column", () => {
  it.each([
    ["hosts, by the numbers in their names", ["node-2", "node-10"]],
    ["addresses of IPv4", ["10.0.0.2", "10.0.0.10", "10.0.10.0"]],
    [
      "addresses of IPv6, after those of IPv4",
      ["192.168.0.1", "2001:db8::9", "2001:db8::a", "2001:db8::10"],
    ],
    ["CIDRs, the larger network first", ["10.0.0.0/16", "10.0.0.0/26", "10.0.0.64/26"]],
    ["names after addresses, and no value after all", ["10.0.0.1", "node-0", undefined]],
  ])("have %s", (_, names) => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...names], { minLength: names.length }), (shuffled) => {
        expect(namesBy("Name", shuffled)).toEqual(names);
      }),
    );
  });

  it("have the highest first on request, and those without a value still last", () => {
    expect(namesBy("-Name", [undefined, "node-2", "node-10"])).toEqual([
      "node-10",
      "node-2",
      undefined,
    ]);
  });

  it.each(["", "Details", "Nothing"])("stay as they are by %j", (sort) => {
    expect(namesBy(sort, ["b", "a", "c"])).toEqual(["b", "a", "c"]);
  });
});

describe("a press on the title of a column", () => {
  const presses = (column: { readonly title: string; readonly isCount?: boolean }) => {
    const orders = [""];
    for (let i = 0; i < 3; i++) orders.push(orderAfter(orderIn(orders.at(-1) ?? ""), column));
    return orders;
  };

  it("sorts texts from the lowest on, then from the highest on, then no more", () => {
    expect(presses({ title: "Name" })).toEqual(["", "Name", "-Name", ""]);
  });

  it("sorts counts from the highest on, then from the lowest on, then no more", () => {
    expect(presses({ title: "Count", isCount: true })).toEqual(["", "-Count", "Count", ""]);
  });

  it("leaves the order of another column", () => {
    expect(orderAfter(orderIn("-Count"), { title: "Name" })).toBe("Name");
  });
});

describe("a filter", () => {
  const rows = [{ name: "Shop/web-1", count: 7 }, { name: "shop/db-1", count: 1 }, { count: 1 }];

  it.each([
    ["", 3],
    ["  ", 3],
    ["shop", 2],
    ["SHOP web", 1],
    ["7", 0],
    ["shop nobody", 0],
  ])("%j matches the rows whose texts have each of its words", (filter, count) => {
    expect(matching(rows, COLUMNS, filter)).toHaveLength(count);
  });
});
