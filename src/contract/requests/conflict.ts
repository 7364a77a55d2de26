import * as v from "valibot";
import { proof, withoutProof } from "../schema/proof.ts";
import { fields, rule } from "../schema/schema.ts";

/** A report that something else uses an address that the caller has. */
export const conflictBody = v.pipe(
  fields(proof),
  rule((input) => withoutProof(input)),
);
