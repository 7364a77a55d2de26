import { Token } from "aws-cdk-lib";
import type { Construct } from "constructs";
import * as v from "valibot";
import { orProblem, Problem } from "../api/schema/problem.ts";
import { checked, isRecord } from "../api/schema/schema.ts";

/** Returns the error of a construct, which names it. */
export const wrong = (construct: Construct, sentence: string): Error =>
  new Error(`${construct.node.path}: ${sentence}`);

/** Reads properties by their schema. @throws {Error} if one is wrong; the message names the construct and the property */
export function readProps<Schema extends v.GenericSchema>(
  construct: Construct,
  schema: Schema,
  props: object,
): v.InferOutput<Schema> {
  const read = orProblem(() => checked(schema, props));
  if (!(read instanceof Problem)) return read;
  throw wrong(construct, `${JSON.stringify(props, plain)} is wrong: ${read.detail}`);
}

/** Shows a construct by its class: as JSON it has the whole app, in circles. */
const plain = (_: string, value: unknown): unknown =>
  isRecord(value) && !isPlain(value) ? `a ${value.constructor.name}` : value;

/** Returns true for a list, and for an object of no class. */
const isPlain = (value: unknown): boolean =>
  Array.isArray(value) || (isRecord(value) && ofNoClass.includes(Object.getPrototypeOf(value)));

const ofNoClass = [Object.prototype, null];

/** Makes a schema of what another one lets through, and of what nobody knows yet. */
export const orLater = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.lazy((input) => (isLater(input) ? (v.any() as never) : schema));

/**
 * The values that the CDK has for a lookup in the account, until a second synthesis has its answer: those of a hosted zone, and of a
 * parameter. An error in place of them would end the first synthesis, and nothing would be looked up.
 */
const LOOKUP = /^DUMMY$|^dummy-value-for-/;

/** Returns true for a value that synthesis does not know: it is a token or a lookup, or has one in it. */
export const isLater = (value: unknown): boolean =>
  Token.isUnresolved(value) ||
  (typeof value === "string" && LOOKUP.test(value)) ||
  (isPlain(value) && Object.values(value as object).some(isLater));
