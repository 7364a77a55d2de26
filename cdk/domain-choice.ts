import * as v from "valibot";
import type { FieldProblem } from "../src/api/schema/problem.ts";
import { fields } from "../src/api/schema/schema.ts";
import { isLater, orLater } from "../src/constructs/props.ts";
import { pattern } from "./pattern.ts";

/** A domain name of its own for the API. */
export const domain = fields({
  name: orLater(
    pattern(
      /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/,
      'must be a domain name in lower case, such as "plat.example.com"',
    ),
  ),
  /** The certificate of AWS Certificate Manager, in the Region of the API. */
  certificateArn: orLater(
    pattern(
      /^arn:aws[\w-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
      "must be the ARN of a certificate in AWS Certificate Manager",
    ),
  ),
  /** The hosted zone of Route 53 that gets the record of the name. */
  hostedZoneId: v.optional(
    orLater(
      pattern(
        /^Z[A-Z0-9]{1,31}$/,
        'must be the id of a hosted zone, such as "Z0123456789ABCDEFGHIJ"',
      ),
    ),
  ),
});

export type DomainChoice = v.InferOutput<typeof domain>;

/** Returns what is wrong with the certificate of an API in a Region. Nothing is if one of the two is not known yet. */
export function certificateProblems(
  { certificateArn }: DomainChoice,
  region: string,
): readonly FieldProblem[] {
  const [, , , of] = certificateArn.split(":");
  return isLater([certificateArn, region]) || of === region
    ? []
    : [{ field: "domain", problem: `must have a certificate in ${region}, not in ${of}` }];
}
