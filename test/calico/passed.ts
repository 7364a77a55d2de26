import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { nameOf, PAGES, testsOfPage } from "../named-tests.ts";

/**
 * `npm run test:methods -- REPORT…`: checks that every test that a page of the documentation names has passed. A REPORT is the file
 * that `vitest run --reporter=json --outputFile=REPORT` wrote.
 */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("which report? npm run test:methods -- REPORT…");
  process.exit(2);
}
const testResults = files.flatMap(
  (file) => (JSON.parse(readFileSync(file, "utf8")) as Report).testResults,
);
const passed = new Set(
  testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "passed")
      .map(({ ancestorTitles, title }) =>
        nameOf({ file: relative(process.cwd(), name), path: [...ancestorTitles, title] }),
      ),
  ),
);
const named = PAGES.flatMap(testsOfPage).map(nameOf);
const missing = named.filter((name) => !passed.has(name));
for (const name of missing) console.error(`named in the documentation, and did not pass: ${name}`);
console.log(`${named.length - missing.length} of ${named.length} named tests passed`);
if (missing.length > 0) process.exitCode = 1;
