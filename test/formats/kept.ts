import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { Item } from "../../src/table/item.ts";

/** The names of the resources in a kept table, for requests about them. */
interface Named {
  readonly space: string;
  readonly address: string;
  readonly generation: string;
  readonly keyed: { readonly address: string; readonly generation: string };
  readonly block: string;
  readonly other: { readonly address: string; readonly generation: string };
  readonly job: string;
}

/** The items that a release wrote, one of every kind at least. */
export interface Kept {
  readonly named: Named;
  readonly items: readonly Item[];
}

const FOLDER = fileURLToPath(new URL("./", import.meta.url));

/** Returns the releases whose items are kept. */
export const keptReleases = (): readonly string[] =>
  readdirSync(FOLDER).flatMap((name) => /^(.+)\.jsonl$/.exec(name)?.slice(1) ?? []);

const fileOf = (release: string) => `${FOLDER}${release}.jsonl`;

/**
 * Reads the items of a release. The first line has the names, and each further line an item in the JSON of DynamoDB, with
 * bytes in base64.
 */
export function readKept(release: string): Kept {
  const [named = "", ...items] = readFileSync(fileOf(release), "utf8").trim().split("\n");
  const bytes = (key: string, value: unknown) =>
    key === "B" && typeof value === "string" ? new Uint8Array(Buffer.from(value, "base64")) : value;
  return {
    named: JSON.parse(named),
    items: items.map((line) => unmarshall(JSON.parse(line, bytes)) as Item),
  };
}

/** Writes the items of a release. */
export function writeKept(release: string, { named, items }: Kept): void {
  // A Buffer turns itself into an object before a replacer sees it, so the replacer looks at its holder.
  const inBase64 = function (this: Record<string, unknown>, key: string, value: unknown) {
    const bytes = this[key];
    return bytes instanceof Uint8Array ? Buffer.from(bytes).toString("base64") : value;
  };
  const lines = items.map((item) => JSON.stringify(marshall(item), inBase64));
  writeFileSync(fileOf(release), `${[JSON.stringify(named), ...lines].join("\n")}\n`);
}
