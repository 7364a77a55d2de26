import { fromJson } from "../../api/schema/json-values.ts";
import type { PlatClient } from "../../client/index.ts";
import { type Contents, joinedContents } from "../../invariants/contents.ts";
import type { Progress } from "../shell/io.ts";

/**
 * Reads the items of the space page by page: about a thousand addresses in one request. The result is no snapshot while the
 * table is in use. It needs the right to an operator's route.
 */
export async function readContents(client: PlatClient, shown: Progress): Promise<Contents> {
  const found: Contents[] = [];
  let count = 0;
  for await (const { contents } of client.pages.listContents()) {
    // A server of another version may have more kinds of items, or fewer.
    found.push({ ...joinedContents([]), ...(fromJson(contents) as Partial<Contents>) });
    count += Object.values(contents).reduce((sum, items) => sum + items.length, 0);
    shown.update(`${count} items read of space ${client.space}`);
  }
  return joinedContents(found);
}
