import "./environment.ts";
import { parseArgs } from "node:util";
import { checkTable } from "../allocator/check.ts";
import { dynamoTable } from "../store/dynamo.ts";
import { contextOf, dynamoClient } from "../wiring.ts";

/** `npm run check:table -- [--endpoint URL] [--table NAME] [--quiet-table]`: proves the invariants over a whole table. */
const { values } = parseArgs({
  options: {
    endpoint: { type: "string" },
    table: { type: "string", default: "plat" },
    "quiet-table": { type: "boolean", default: false },
  },
});
const client = dynamoClient(values.endpoint);
const context = contextOf(dynamoTable(client, values.table));
const { counts, violations } = await checkTable(context, { quiet: values["quiet-table"] });
console.table([counts]);
for (const { invariant, message } of violations) console.error(`${invariant}: ${message}`);
console.log(violations.length === 0 ? "every invariant holds" : `${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;
