import type * as v from "valibot";
import { namespaceName, nodeName, resourceName } from "../schema/field.ts";

/** The name that a body gives to its resource, and the field that has it. */
export interface NameInBody {
  readonly field: string;
  readonly value: string;
}

/** The part of a path that names a resource, and its schema. */
export interface NamePart {
  readonly part: string;
  readonly schema: v.GenericSchema<string, string>;
}

/** A pool or a reservation. */
export const RESOURCE: NamePart = { part: "name", schema: resourceName };

export const NODE: NamePart = { part: "node", schema: nodeName };

export const NAMESPACE: NamePart = { part: "namespace", schema: namespaceName };
