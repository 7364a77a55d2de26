import type * as v from "valibot";
import { namespaceName, newNode, nodeName, resourceName } from "./schema/field.ts";

/** The name that a body gives to its resource, and the field that has it. */
export interface NameInBody {
  readonly field: string;
  readonly value: string;
}

/** The part of a path that names a resource, and its schema. */
export interface NamePart {
  readonly part: string;
  readonly schema: v.GenericSchema<string, string>;
  /** The schema of a name that a request gives. */
  readonly given: v.GenericSchema<string, string>;
}

/** A pool or a reservation. */
export const RESOURCE: NamePart = { part: "name", schema: resourceName, given: resourceName };

export const NODE: NamePart = { part: "node", schema: nodeName, given: newNode };

export const NAMESPACE: NamePart = {
  part: "namespace",
  schema: namespaceName,
  given: namespaceName,
};
