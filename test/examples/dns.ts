import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

/** The example of DNS records, as tests use it. */

const FOLDER = fileURLToPath(new URL("../../docs/examples/dns/", import.meta.url));

interface Change {
  readonly isReverse: boolean;
  readonly Action: "UPSERT" | "DELETE";
  readonly ResourceRecordSet: {
    readonly Name: string;
    readonly Type: string;
    readonly ResourceRecords: readonly { readonly Value: string }[];
  };
}
export type Remembered = ReadonlyMap<string, object>;
/** An event with the fields that the example reads. */
export interface Event {
  readonly type: string;
  readonly space: string;
  readonly address: string;
  readonly sequence: string;
}

// The example has no types, because a reader copies it as it is.
export const {
  planOf,
  reverseName,
}: {
  planOf(
    remembered: Remembered,
    events: readonly Event[],
    ttl: number,
  ): { readonly changes: readonly Change[]; readonly remember: Remembered };
  reverseName(address: string): string;
} = await import(`${FOLDER}plan.mjs`);

/** The resources of the template, with its short functions as texts. */
export const RESOURCES = parse(readFileSync(`${FOLDER}template.yaml`, "utf8"), {
  customTags: ["!Ref", "!GetAtt", "!Sub"].map((tag) => ({
    tag,
    resolve: (text: string) => `${tag} ${text}`,
  })),
}).Resources;
