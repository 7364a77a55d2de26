import { readdirSync, readFileSync } from "node:fs";
import { checkProse } from "./check.ts";

/** `npm run prose [-- FILE…]`: holds the documentation to `docs/style.md`. */
const files = process.argv.slice(2);
const documents = readdirSync("docs", { recursive: true, encoding: "utf8" }).map(
  (name) => `docs/${name}`,
);
const pages =
  files.length > 0
    ? files
    : [...readdirSync("."), ...documents].filter((name) => name.endsWith(".md")).sort();

let found = 0;
for (const page of pages) {
  for (const { loc, message, ruleId } of await checkProse(readFileSync(page, "utf8"))) {
    console.log(
      `${page}:${loc.start.line}:${loc.start.column} ${message.replaceAll(/\s+/g, " ")} (${ruleId})`,
    );
    found++;
  }
}
console.log(`${pages.length} pages, ${found} findings`);
process.exitCode = found > 0 ? 1 : 0;
