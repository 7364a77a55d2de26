import * as v from "valibot";
import { proof, withoutProof } from "../../../api/schema/proof.ts";
import { fields, rule } from "../../../api/schema/schema.ts";

/** A report that something else uses an address that the caller has. */
export const conflictBody = v.pipe(
  fields(proof),
  rule((input) => withoutProof(input)),
);
