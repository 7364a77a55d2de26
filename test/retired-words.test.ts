import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Words that identifiers had before docs/glossary.md, and their replacements. */
const RETIRED: Readonly<Record<string, string>> = {
  cell: "group, or block group",
  collector: "repair",
  lender: "borrowable block",
  loan: "borrowed block",
  patient: "retrying",
  pick: "selection",
  record: "allocation",
  refusal: "rejection",
  rehearsal: "dry run",
  rehearse: "dry run",
  seat: "quota slot",
  standing: "current, or actual",
  stray: "orphan",
  takeover: "import",
  timely: "deadline",
  wish: "family request",
};

/** Identifiers of the language or of a library, or with the word in its ordinary meaning, and a field of an application. */
const ALLOWED: ReadonlySet<string> = new Set([
  "refusal",
  ...[
    "Record",
    "Records",
    "isRecord",
    "record",
    "RECORDER",
    "useRecords",
    "skip_records_with_empty_values",
  ],
  ...["maxRecordAge", "MaximumRecordAgeInSeconds", "ResourceRecordSet", "ResourceRecords"],
  "GetRecords",
  ...["Pick", "pick", "picklist", "TableCell", "CfnRecordSet"],
]);

const FOLDERS = ["src", "functions", "cdk", "bench", "model", "twin", "test", "console"];

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !/node_modules|retired-words/.test(path))
    .map((path) => join(folder, path)),
);

/** Matches comments and string literals, which are prose. */
const PROSE =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;

const wordsOf = (identifier: string) =>
  identifier
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split("_")
    .map((word) => (word.endsWith("s") ? word.slice(0, -1) : word));

/** Returns the retired words among the identifiers of a source, each with its replacement. */
function retiredIn(source: string): readonly string[] {
  const identifiers = new Set(source.replaceAll(PROSE, " ").match(/[A-Za-z_]\w*/g));
  return [...identifiers].flatMap((identifier) =>
    ALLOWED.has(identifier)
      ? []
      : wordsOf(identifier).flatMap((word) =>
          Object.hasOwn(RETIRED, word) ? [`${identifier}: say ${RETIRED[word]}`] : [],
        ),
  );
}

describe("the words that the glossary retired", () => {
  it("are in no identifier", () => {
    expect(sources.length).toBeGreaterThan(700);
    expect(
      sources.flatMap((path) =>
        retiredIn(readFileSync(path, "utf8")).map((found) => `${path}: ${found}`),
      ),
    ).toEqual([]);
  });

  it("are found in an identifier, and not in a text or a comment", () => {
    expect(retiredIn("const cellsOf = seat; // a loan")).toEqual([
      "cellsOf: say group, or block group",
      "seat: say quota slot",
    ]);
    expect(retiredIn('const group = "cell"; /* seat */')).toEqual([]);
  });
});
