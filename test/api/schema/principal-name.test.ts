import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { principalName } from "../../../src/api/schema/principal-name.ts";
import { namedPrincipal } from "../../../src/base/principal.ts";

const problemsOf = (principal: string) =>
  v.safeParse(principalName, principal, { abortPipeEarly: true }).issues?.map((one) => one.message);

describe("the principal of a pool or a quota", () => {
  it.each([
    "arn:aws:iam::210987654321:role/ci",
    "arn:aws-us-gov:iam::210987654321:role/ci",
    "arn:aws:iam::210987654321:user/teams/alice",
    "arn:aws:iam::210987654321:root",
    "arn:aws:sts::210987654321:federated-user/alice",
    "token:role",
    "https://issuer.example/arn:aws:iam::1:role/ci",
  ])("can be %s, as a caller is named", (principal) => {
    expect(problemsOf(principal)).toBeUndefined();
    expect(namedPrincipal(principal)).toBe(principal);
  });

  it.each([
    "arn:aws:sts::1:assumed-role/ci/job-7",
    "arn:aws:iam::21098765432:role/ci",
    "arn:aws:iam::2109876543210:role/ci",
    "arn:aws:iam::21098765432a:user/alice",
    "arn:aws:iam:eu-central-1:210987654321:role/ci",
    "arn:aws:iam::aws:policy/ReadOnly",
    "arn:aws:iam:210987654321:role/ci",
    "arn::iam::210987654321:role/ci",
  ])("must have an account of 12 digits, which %s has not", (principal) => {
    expect(problemsOf(principal)).toEqual([
      "must have an account of 12 digits, as arn:aws:iam::210987654321:role/ci",
    ]);
  });

  it.each([
    "arn:aws:sts::210987654321:assumed-role/ci/job-7",
    "arn:aws:sts::210987654321:assumed-role/ci",
    "arn:aws:sts::210987654321:role/ci",
    "arn:aws:iam::210987654321:assumed-role/ci",
    "arn:aws:iam::210987654321:role/teams/ci",
    "arn:aws:iam::210987654321:role/ci/",
    "arn:aws:iam::210987654321:role/",
    "arn:aws:iam::210987654321:role",
  ])("must name a role without path and session, and not as %s", (principal) => {
    expect(problemsOf(principal)).toEqual([
      "must name a role without its path and session, as arn:aws:iam::210987654321:role/ci",
    ]);
  });
});
