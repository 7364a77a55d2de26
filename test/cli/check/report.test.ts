import { describe, expect, it } from "vitest";
import { candidatesIn, type LeakCandidate } from "../../../src/cli/check/candidates.ts";
import { countsOfSpace } from "../../../src/cli/check/counts.ts";
import { type Leaks, readReport, reportOf } from "../../../src/cli/check/report.ts";
import { joinedContents } from "../../../src/invariants/contents.ts";
import { NOW_MS } from "../../builders.ts";
import { assignedWith, inventoryWith } from "./builders.ts";

const gone = { verdict: "gone", reason: "node_gone" } as const;
const candidates = candidatesIn(
  [
    { ...assignedWith(), judgement: gone },
    {
      ...assignedWith({
        generation: "g2",
        affinityType: "virtual",
        owner: { alternate: { pod: "p" } },
        together: true,
        limited: true,
      }),
      judgement: gone,
    },
  ],
  [],
  NOW_MS - 1_000,
);

const textWith = (changes: Partial<Leaks> = {}): string =>
  JSON.stringify(
    reportOf({
      space: "default",
      checkedAtMs: NOW_MS,
      counts: countsOfSpace(joinedContents([]), []),
      problems: [],
      untidy: [],
      notes: [],
      leaks: {
        inventory: inventoryWith({}),
        graceSeconds: 900,
        brake: { applied: false, percent: 30, judged: 2, candidates: 2 },
        candidates,
        confirmed: candidates.slice(1),
        ...changes,
      },
    }),
  );

describe("a report", () => {
  it("says again who the candidates were, and which were confirmed", () => {
    expect(readReport("r.json", textWith(), "default")).toEqual({
      file: "r.json",
      space: "default",
      candidates,
      confirmed: candidates.slice(1),
    });
  });

  it("of a braked check has only those that an earlier one had seen", () => {
    const now = { ...(candidates[0] as LeakCandidate), firstSeenAtMs: NOW_MS };
    const brake = { applied: true, percent: 30, judged: 2, candidates: 2 };
    const text = textWith({ brake, candidates: [now, ...candidates.slice(1)], confirmed: [] });
    expect(readReport("r.json", text, "default").candidates).toEqual(candidates.slice(1));
  });

  it.each<[string, (report: Record<string, never>) => unknown]>([
    ["it must be of type Object", () => "report"],
    ["version must be 1", (report) => ({ ...report, version: 2 })],
    ["candidates is required", ({ candidates: _, ...report }) => report],
    ["candidates[0].firstSeenAt must be a time", (report) => changed(report, { firstSeenAt: "x" })],
    ["candidates[0].address must be an address", (report) => changed(report, { address: ".." })],
    [
      "candidates[0].confirmed must be of type boolean",
      (report) => changed(report, { confirmed: "yes" }),
    ],
  ])("of another shape is rejected by what is odd in it: %s", (message, change) => {
    const text = JSON.stringify(change(JSON.parse(textWith())));
    expect(() => readReport("r.json", text, "default")).toThrow(
      `r.json is not a report of plat check: ${message}`,
    );
  });
});

const changed = (report: { readonly candidates?: object[] }, change: object) => ({
  ...report,
  candidates: [{ ...report.candidates?.[0], ...change }],
});
