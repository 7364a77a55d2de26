import { stringify } from "csv-stringify/sync";
import type { OwnedBlocks } from "../space/space.ts";
import { attributesText } from "./attributes-text.ts";

/**
 * Formats the addresses of some blocks as a table, one line each.
 *
 * @param escapesFormulas true to put an apostrophe before each value that a spreadsheet would execute
 * (https://owasp.org/www-community/attacks/CSV_Injection). An import would take the apostrophe for a part of the name
 */
export function csvOf({ blocks, owners }: OwnedBlocks, escapesFormulas: boolean): string {
  const lines = blocks.flatMap(({ addresses }) =>
    addresses
      .filter(({ state }) => state === "assigned")
      .map(({ address, handle, host }) => ({
        address,
        handle,
        host,
        attributes: attributesText(owners.get(address)?.owner?.active ?? {}),
      })),
  );
  return stringify(lines, {
    header: true,
    columns: ["address", "handle", "host", "attributes"],
    escape_formulas: escapesFormulas,
  });
}
