import { describe, expect, it } from "vitest";
import { type Quota, type QuotaSubject, quotasFor } from "../../../src/nouns/quota/quota.ts";

const quota = (name: string, whom: Partial<Quota> = {}): Quota => ({
  space: "default",
  name,
  requestsPerSecond: 1,
  revision: "r",
  ...whom,
});

const QUOTAS = [
  quota("all"),
  quota("ci", { principal: "arn:aws:iam::123456789012:role/ci" }),
  quota("red", { tenant: "red" }),
  quota("none", { tenant: "" }),
];

const limiting = (subject: QuotaSubject) => quotasFor(QUOTAS, subject).map(({ name }) => name);

describe("the quotas of a request", () => {
  it.each<[string, QuotaSubject, readonly string[]]>([
    ["are those of the space", {}, ["all"]],
    [
      "are those of the role whose session sends it",
      { assignedBy: "arn:aws:sts::123456789012:assumed-role/ci/job-7" },
      ["ci", "all"],
    ],
    [
      "are none of another role",
      { assignedBy: "arn:aws:sts::123456789012:assumed-role/deploy/job-7" },
      ["all"],
    ],
    ["are those of the tenant that it names", { attributes: { tenant: "red" } }, ["red", "all"]],
    ["are none of a tenant in another attribute", { attributes: { team: "red" } }, ["all"]],
    [
      "are all of these together, that of the space last",
      {
        assignedBy: "arn:aws:sts::123456789012:assumed-role/ci/job-7",
        attributes: { tenant: "red" },
      },
      ["ci", "red", "all"],
    ],
  ])("%s", (_, subject, names) => {
    expect(limiting(subject)).toEqual(names);
  });
});
