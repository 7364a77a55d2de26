import { parseJson, RepeatedFieldError } from "../../base/json-text.ts";
import { BODY_BYTES_MAX } from "../../base/limits.ts";
import { invalid } from "../schema/problem.ts";
import { cut } from "../schema/schema.ts";
import { bodyText } from "./body.ts";
import type { Event } from "./event.ts";

/** The media type of one JSON value a line (https://github.com/ndjson/ndjson-spec). It is registered nowhere. */
export const NDJSON = "application/x-ndjson";

/** A line of a body that is not empty. */
export interface BodyLine {
  /** Its number in the body, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Returns the lines of a body that are not empty. */
export function parseLines(event: Event): readonly BodyLine[] {
  const text = bodyText(event, BODY_BYTES_MAX);
  return text
    .split("\n")
    .map((text, index) => ({ line: index + 1, text }))
    .filter(({ text }) => text.trim() !== "");
}

/** Returns the value of a line. @throws {Problem} if it is not JSON */
export function parsedLine({ line, text }: BodyLine): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const { message } = error as Error;
    const problem =
      error instanceof RepeatedFieldError
        ? `${line} is ambiguous: ${cut(message)}; send it once`
        : `${line} is not JSON: ${cut(message)}`;
    throw invalid({ field: "line", value: line, problem });
  }
}

/** Returns true if a request names NDJSON as a media type that it accepts. */
export const acceptsLines = ({ headers }: Event): boolean =>
  (headers.accept ?? "").split(",").some(wantsLines);

/** Returns true for NDJSON, unless its weight is 0, which means "not acceptable" (RFC 9110, 12.4.2). */
function wantsLines(range: string): boolean {
  const [type, ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  return type === NDJSON && !parameters.some((each) => /^q=0(\.0{0,3})?$/.test(each));
}

/** Returns the text of values with a line for each. */
export const ndjsonText = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");
