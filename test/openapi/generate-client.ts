import { writeFile } from "node:fs/promises";
import { OPERATIONS_FILE, operationsText, SCHEMA_FILE } from "./client-files.ts";
import { generateClientTypes } from "./tools.ts";

/** `npm run client`: writes the generated files of the client after a change of the contract. */
await writeFile(SCHEMA_FILE, await generateClientTypes());
await writeFile(OPERATIONS_FILE, operationsText());
