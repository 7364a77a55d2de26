import { query } from "jsonpath-rfc9535";
import { usageError } from "../exit.ts";
import type { Column } from "./print.ts";

/** `NAME:.cidr,HOST:.host`: columns by paths into what the API said, as kubectl has them. Errors: what is no such list. */
export function customColumns(text: string): readonly Column<unknown>[] {
  return text.split(",").map((one) => {
    const [, header, path] = /^([^:]+):(.+)$/.exec(one) ?? [];
    if (header === undefined || path === undefined) throw notColumns(one, "NAME:.path");
    const jsonPath = `$${path.startsWith(".") || path.startsWith("[") ? "" : "."}${path}`;
    try {
      query({}, jsonPath);
    } catch (error) {
      throw notColumns(
        one,
        `a path such as .cidr or .addresses[0].host (${(error as Error).message})`,
      );
    }
    return {
      header,
      value: (row) => {
        const values = query(row as Parameters<typeof query>[0], jsonPath);
        return values.length === 0 ? undefined : values.map(textOf).join(",");
      },
    };
  });
}

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

const notColumns = (one: string, right: string) =>
  usageError(`-o custom-columns has "${one}"; it must be ${right}.`);
