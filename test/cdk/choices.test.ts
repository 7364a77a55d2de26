import { expect, it } from "vitest";
import { acceptedFindings } from "../../cdk/accepted-findings.ts";
import { stageName } from "../../cdk/environments.ts";
import { coveringRows, everyPair, stageOf } from "./choices.ts";
import { findings } from "./findings.ts";

it("every pair of the values of two choices occurs in a row", () => {
  const choices = { a: [1, 2, 3], b: [true, undefined], c: ["x", "y", "z"], d: [0, 1] };
  const rows = coveringRows(choices);
  const names = Object.keys(choices) as (keyof typeof choices)[];
  for (const one of names)
    for (const other of names.filter((name) => name !== one))
      for (const value of choices[one])
        for (const another of choices[other])
          expect(rows.filter((row) => row[one] === value && row[other] === another)).not.toEqual(
            [],
          );
  expect(rows.length).toBeLessThan(3 * 2 * 3 * 2);
});

const accepted = acceptedFindings("cdk-nag").map(({ rule, at }) => `${rule} ${at}`);
const found = new Map(
  everyPair().map((chosen) => [
    chosen.name,
    findings(stageOf(chosen)).map((finding) =>
      finding
        .replace(`${stageName(chosen.environment)}/`, "")
        // The stack of a further Region is accepted as that of the first.
        .replace(/ (stateless|trail)-[\w-]+\//, " $1/"),
    ),
  ]),
);

it.each([...found])("cdk-nag finds nothing but what is accepted with %s", (_, all) => {
  expect(all.filter((finding) => !accepted.includes(finding))).toEqual([]);
});

it("cdk-nag finds all that is accepted with some choice", () => {
  expect([...found.values()].flat()).toEqual(expect.arrayContaining(accepted));
});
