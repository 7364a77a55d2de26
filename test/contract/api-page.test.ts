import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type Route, SPACE_PATH } from "../../src/api/route.ts";
import { ROUTES } from "../../src/contract/routes.ts";

const page = readFileSync("docs/api.md", "utf8");

const DECLARED = ROUTES.filter(({ path }) => !path.startsWith(`${SPACE_PATH}/`));
const nameOf = ({ method, path }: Route) => `${method} ${path.replace("+}", "}")}`;

/** Returns the routes in the first column of a row, such as `GET`, `PUT /v1/pools[/{name}]`. A path without a method has the last one. */
function routesIn(column: string): string[] {
  const routes: string[] = [];
  let methods: string[] = [];
  let isTaken = false;
  for (const [, text = ""] of column.matchAll(/`([^`]+)`/g)) {
    const [, method, path] = /^([A-Z]+)? ?(\/[^ ?]*)?/.exec(text) ?? [];
    if (method !== undefined) methods = isTaken ? [method] : [...methods, method];
    isTaken = path !== undefined;
    const [, list = "", one] = /^([^[]*)(?:\[(.*)\])?$/.exec(path ?? "") ?? [];
    if (!isTaken) continue;
    for (const each of methods) {
      if (one === undefined || each === "GET") routes.push(`${each} ${list}`);
      if (one !== undefined) routes.push(`${each} ${list}${one}`);
    }
  }
  return routes;
}

it("the table of docs/api.md has each route once, by the path that names no space", () => {
  const [, table = ""] = page.split("\n| Route | What it does |\n");
  const rows = table.slice(0, table.indexOf("\n\n")).split("\n").slice(1);
  const told = rows.flatMap((row) => routesIn(row.split(" | ")[0] ?? ""));
  expect(told.toSorted()).toEqual(DECLARED.map(nameOf).toSorted());
});

it("docs/api.md names each route that takes a dry run in its query", () => {
  const [, rule = ""] = page.split("These routes take it:");
  const told = routesIn(rule.slice(0, rule.indexOf("\n*")));
  const declared = DECLARED.filter(({ query = {} }) => "dryRun" in query);
  expect(told.toSorted()).toEqual(declared.map(nameOf).toSorted());
});
