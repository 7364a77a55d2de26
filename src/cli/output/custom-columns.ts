import { usageError } from "../shell/exit.ts";
import type { Column } from "./column.ts";
import { parsePath, valueText } from "./json-path.ts";

/**
 * Parses `NAME:.cidr,HOST:.host`: columns by paths into the answer of the API, as in kubectl.
 *
 * @throws CommandError (usage) if the text is no such list
 */
export function customColumns(text: string): readonly Column<unknown>[] {
  return text.split(",").map((one) => {
    const [, header, path] = /^([^:]+):(.+)$/.exec(one) ?? [];
    if (header === undefined || path === undefined) throw notColumns(one, "NAME:.path");
    const lookup = lookupOf(one, path);
    return {
      header,
      value: (row) => {
        const values = lookup(row);
        return values.length === 0 ? undefined : values.map(valueText).join(",");
      },
    };
  });
}

function lookupOf(one: string, path: string) {
  try {
    return parsePath(path);
  } catch (error) {
    throw notColumns(
      one,
      `a path such as .cidr or .addresses[0].host (${(error as Error).message})`,
    );
  }
}

const notColumns = (one: string, right: string) =>
  usageError(`-o custom-columns has "${one}"; it must be ${right}.`);
