import type * as v from "valibot";
import type { contentsRead } from "../../contract/answers/answers.ts";
import { fromJson } from "../../contract/schema/json-values.ts";
import { type Contents, together } from "../../domain/contents.ts";
import type { Progress } from "../shell/io.ts";
import { type Client, pages, path } from "./client.ts";

/**
 * Reads all items of the space page by page: thousands of addresses in one request. The result is no snapshot while the
 * table is in use. It needs the right to an operator's route.
 */
export async function readContents(client: Client, shown: Progress): Promise<Contents> {
  const found: Contents[] = [];
  let count = 0;
  const read = pages<v.InferOutput<typeof contentsRead>>(client, path`/v1/contents`);
  for await (const { contents } of read) {
    // A server of another version may have more kinds of items, or fewer.
    found.push({ ...together([]), ...(fromJson(contents) as Partial<Contents>) });
    count += Object.values(contents).reduce((sum, items) => sum + items.length, 0);
    shown.update(`${count} items read of space ${client.space}`);
  }
  return together(found);
}
