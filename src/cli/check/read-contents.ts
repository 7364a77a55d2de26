import type * as v from "valibot";
import { type Contents, together } from "../../domain/contents.ts";
import type { contentsRead } from "../../edge/answers.ts";
import { fromJson } from "../../edge/json-values.ts";
import { type Client, pages, path } from "../client.ts";
import type { Io } from "../io.ts";
import { progressing } from "../progress.ts";

/** Reads all that the space has in the table, page by page: no snapshot, if the table is in use. */
export function readContents(client: Client, io: Io): Promise<Contents> {
  return progressing(io, `reading the contents of space ${client.space}`, async (shown) => {
    const found: Contents[] = [];
    let count = 0;
    const read = pages<v.InferOutput<typeof contentsRead>>(client, path`/v1/contents`);
    for await (const { contents } of read) {
      // A server of another version may have kinds of items more, or fewer.
      found.push({ ...together([]), ...(fromJson(contents) as Partial<Contents>) });
      count += Object.values(contents).reduce((sum, items) => sum + items.length, 0);
      shown.update(`${count} items read of space ${client.space}`);
    }
    return together(found);
  });
}
