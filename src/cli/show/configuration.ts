import type * as v from "valibot";
import type { settingsRead } from "../../contract/answers.ts";
import type { Session } from "../invocation/cli.ts";
import type { Column } from "../output/column.ts";

type Settings = v.InferOutput<typeof settingsRead>;

const COLUMNS: readonly Column<readonly [string, Settings[keyof Settings]]>[] = [
  { header: "PROPERTY", value: ([name]) => name },
  { header: "VALUE", value: ([, value]) => settingText(value) },
];

/** Returns the text of a setting; `none` for an absent limit or an empty list. */
export const settingText = (value: unknown): string =>
  Array.isArray(value) ? value.join(",") || "none" : String(value ?? "none");

/** Prints the settings of the space, with defaults for unset ones. */
export async function showConfiguration({ client, print }: Session): Promise<void> {
  const { body } = await client.readConfiguration();
  print({ columns: COLUMNS, rows: Object.entries(body), document: body });
}
