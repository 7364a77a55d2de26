import * as v from "valibot";
import { orProblem, Problem } from "../api/schema/problem.ts";
import { checked } from "../api/schema/schema.ts";
import type { AttributePath, Key, Value } from "../table/item.ts";
import { type Attribute, valueIn } from "../table/streamed-change.ts";
import { RestoreError } from "./restore-error.ts";

/** A change of one attribute, or of one entry of a map: its value before and after, each absent where it was not there. */
export interface LineChange {
  readonly path: AttributePath;
  readonly before?: Value;
  readonly after?: Value;
}

/** A line of the audit trail: one change of one item. */
export interface ParsedTrailLine {
  /** The file and the number of the line, for messages. */
  readonly place: string;
  /** The number of the change. Of two changes of an item the later has the greater. */
  readonly sequence: string;
  readonly item: "created" | "changed" | "deleted";
  readonly key: Key;
  readonly changes: readonly LineChange[];
}

/** A value in DynamoDB's JSON, such as `{"S": "text"}`, with bytes in base64. */
const attribute = v.pipe(
  v.record(v.string(), v.unknown()),
  v.check((value) => Object.keys(value).length === 1, "must have one type"),
);

const line = v.object({
  sequence: v.pipe(v.string(), v.regex(/^\d{40}$/, "must have 40 digits")),
  item: v.picklist(["created", "changed", "deleted"]),
  key: v.object({ pk: v.string(), sk: v.string() }),
  changes: v.array(
    v.object({
      path: v.pipe(v.tupleWithRest([v.string()], v.string()), v.maxLength(2)),
      before: v.optional(attribute),
      after: v.optional(attribute),
    }),
  ),
});

/**
 * Reads a line of the audit trail, as `src/publish/trail-line.ts` writes it.
 *
 * @param place the file and the number of the line
 * @throws {RestoreError} if it is no such line; the message names the place and the field
 */
export function parseLine(text: string, place: string): ParsedTrailLine {
  const parsed = orProblem(() => checked(line, jsonIn(text, place)));
  if (parsed instanceof Problem)
    throw new RestoreError(`${place} is no line of the audit trail: ${parsed.detail.slice(0, -1)}`);
  const { sequence, item, key, changes } = parsed;
  try {
    return { place, sequence, item, key, changes: changes.map(changeOf) };
  } catch (cause) {
    throw new RestoreError(
      `${place} has a value that is none of DynamoDB's: ${(cause as Error).message}`,
    );
  }
}

type Raw = v.InferOutput<typeof line>["changes"][number];

function changeOf({ path, before, after }: Raw): LineChange {
  return {
    path: path as unknown as AttributePath,
    ...(before && { before: valueIn(before as Attribute) }),
    ...(after && { after: valueIn(after as Attribute) }),
  };
}

function jsonIn(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RestoreError(`${place} is no JSON`);
  }
}
