import * as v from "valibot";
import { PRINCIPAL_CHARACTERS_MAX } from "../../base/limits.ts";
import { text } from "./field.ts";

/** A user, a role or a session of AWS (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html). */
const OF_AWS = /^arn:[^:]*:(iam|sts):/;
const OF_AN_ACCOUNT = /^arn:[^:]+:(iam|sts)::\d{12}:/;
const ROLE = /^arn:[^:]+:(iam|sts)::\d{12}:(assumed-)?role\b/;
const NAMED_ROLE = /:iam::\d{12}:role\/[^/]+$/;

/**
 * A caller in the form that names a role without its path and its session, because every session is the same principal. It stands
 * beside the other fields, so that functions that take none, as assign, do not carry it.
 */
export const principalName = v.pipe(
  text,
  v.regex(
    new RegExp(`^[\\x21-\\x7e]{1,${PRINCIPAL_CHARACTERS_MAX}}$`),
    `must be 1 to ${PRINCIPAL_CHARACTERS_MAX} printable ASCII characters without spaces`,
  ),
  v.check(
    (principal) => !OF_AWS.test(principal) || OF_AN_ACCOUNT.test(principal),
    "must have an account of 12 digits, as arn:aws:iam::210987654321:role/ci",
  ),
  v.check(
    (principal) => !ROLE.test(principal) || NAMED_ROLE.test(principal),
    "must name a role without its path and session, as arn:aws:iam::210987654321:role/ci",
  ),
);
