import "./environment.ts";
import { parseArgs } from "node:util";
import { checkTable } from "../nouns/contents/operations/check-table.ts";
import { contextOf, dynamoClient, tableIn } from "../wiring.ts";

/** `npm run check:table -- [--endpoint URL] [--table NAME]`: proves the invariants over a whole table. */
const { values } = parseArgs({
  options: {
    endpoint: { type: "string" },
    table: { type: "string", default: "plat" },
  },
});
const context = contextOf(tableIn(dynamoClient(values.endpoint), values.table));
// The check would prove nothing about a table with other keys.
await context.store.checkKeys();
const { counts, violations } = await checkTable(context);
const atRest = (await checkTable(context, { quiet: true })).violations;
const known = new Set(violations.map(({ message }) => message));

console.table([counts]);
for (const { invariant, message } of violations) console.error(`${invariant}: ${message}`);
for (const { invariant, message } of atRest)
  if (!known.has(message))
    console.error(`left over, the next scheduled run cleans it up: ${invariant}: ${message}`);
console.log(violations.length === 0 ? "every invariant holds" : `${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;
