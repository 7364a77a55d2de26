import { describe, expect, it } from "vitest";
import { namedPrincipal } from "../../src/base/principal.ts";

describe("a principal", () => {
  it.each([
    ["arn:aws:sts::123456789012:assumed-role/ci/job-7", "arn:aws:iam::123456789012:role/ci"],
    ["arn:aws:sts::123456789012:assumed-role/ci/a@b.example", "arn:aws:iam::123456789012:role/ci"],
    ["arn:aws:iam::123456789012:role/ci", "arn:aws:iam::123456789012:role/ci"],
    ["arn:aws:iam::123456789012:role/teams/red/ci", "arn:aws:iam::123456789012:role/ci"],
    ["arn:aws-cn:sts::123456789012:assumed-role/ci/i-0123", "arn:aws-cn:iam::123456789012:role/ci"],
  ])("that is a role or a session of it, %s, is the role without path and session", (arn, role) => {
    expect(namedPrincipal(arn)).toBe(role);
    expect(namedPrincipal(role)).toBe(role);
  });

  it.each([
    "arn:aws:iam::123456789012:user/teams/alice",
    "arn:aws:sts::123456789012:federated-user/alice",
    "https://login.example.com#alice",
    "token:ci",
    "arn:aws:sts::1234:assumed-role/ci/job-7",
    "x arn:aws:sts::123456789012:assumed-role/ci/job-7",
  ])("of any other kind stays as it is: %s", (principal) => {
    expect(namedPrincipal(principal)).toBe(principal);
  });
});
