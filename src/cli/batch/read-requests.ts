import * as v from "valibot";
import { isRecord } from "../../api/schema/schema.ts";
import { parseJson, RepeatedFieldError } from "../../base/json-text.ts";
import type { BatchedRequest } from "../../client/index.ts";
import { usageError, usageErrors } from "../shell/exit.ts";

/** A request in a file. */
export interface FileRequest {
  readonly request: BatchedRequest;
  /** Its line; absent in a file of JSON. */
  readonly line?: number;
}

/**
 * Returns the requests of a file: one on each line, or those of a JSON list or of a body of `POST /v1/batch`.
 *
 * @throws CommandError with the lines that are no requests
 */
export function requestsIn(file: string, text: string): readonly FileRequest[] {
  const problems: string[] = [];
  const requests: FileRequest[] = [];
  for (const { value, where, ...at } of valuesIn(text)) {
    const problem = value instanceof Error ? notOneValue(value) : problemOf(value);
    if (problem !== undefined) problems.push(`${file}, ${where}: ${problem}.`);
    else requests.push({ ...at, request: value as BatchedRequest });
  }
  if (problems.length > 0) throw usageErrors(problems);
  if (requests.length === 0) throw usageError(`${file} has no request.`);
  return requests;
}

interface Found {
  /** An error for a line that is not JSON. */
  readonly value: unknown;
  readonly where: string;
  readonly line?: number;
}

function valuesIn(text: string): readonly Found[] {
  const whole = parsed(text);
  if (whole instanceof RepeatedFieldError) return [{ value: whole, where: "the whole" }];
  if (!(whole instanceof Error))
    return listIn(whole).map((value, index) => ({ value, where: `request ${index}` }));
  return text
    .split("\n")
    .map((of, index) => ({ of, line: index + 1 }))
    .filter(({ of }) => of.trim() !== "")
    .map(({ of, line }) => ({ value: parsed(of), where: `line ${line}`, line }));
}

function listIn(whole: unknown): readonly unknown[] {
  if (Array.isArray(whole)) return whole;
  return isRecord(whole) && Array.isArray(whole.requests) ? whole.requests : [whole];
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    return error;
  }
}

const notOneValue = (error: Error): string =>
  error instanceof RepeatedFieldError ? error.message : `is not JSON: ${error.message}`;

/** Returns what is wrong with the form of a request. The API judges the rest, each request on its own. */
function problemOf(value: unknown): string | undefined {
  return v.is(FORM, value)
    ? undefined
    : "it must be an object with assign, or with release and its list of addresses, each of them an object";
}

const objects = v.array(v.looseObject({}));

const FORM = v.union([
  v.looseObject({ assign: v.looseObject({ interfaces: v.optional(objects) }) }),
  v.looseObject({ release: v.looseObject({ addresses: objects }) }),
]);
