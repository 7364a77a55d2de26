import type { Construct } from "constructs";
import type * as v from "valibot";
import { orProblem, Problem } from "../src/api/schema/problem.ts";
import { checked } from "../src/api/schema/schema.ts";
import { type EnvironmentName, isEnvironmentName } from "./environments.ts";

/** Returns the error of a construct, which names it. */
export const wrong = (construct: Construct, sentence: string): Error =>
  new Error(`${construct.node.path}: ${sentence}`);

/** Returns the environment that a property names: `prod` if it is absent. @throws {Error} if there is no such one */
export function protectionOf(construct: Construct, protection = "prod"): EnvironmentName {
  if (isEnvironmentName(protection)) return protection;
  throw wrong(construct, `protection is "${protection}"; it must be "dev" or "prod"`);
}

/** Reads properties by their schema. @throws {Error} if one is wrong; the message names the construct and the property */
export function readProps<Schema extends v.GenericSchema>(
  construct: Construct,
  schema: Schema,
  props: object,
): v.InferOutput<Schema> {
  const read = orProblem(() => checked(schema, props));
  if (!(read instanceof Problem)) return read;
  throw wrong(construct, `${JSON.stringify(props)} is wrong: ${read.detail}`);
}
