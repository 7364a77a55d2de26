import "../src/local/environment.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { functionsOver } from "../src/local/functions.ts";
import { serve } from "../src/local/server.ts";
import { InMemoryTable } from "../src/table/in-memory-table.ts";
import { wiringOver } from "../src/wiring.ts";
import { whole } from "./load/options.ts";

/**
 * `npm run fuzz`: schemathesis makes requests from the OpenAPI document, and checks every answer against it, over HTTP,
 * on a table in memory. Each run has the same requests. `SCHEMATHESIS` names the program if it is not on the path.
 */

const INSTALL =
  "install it with `pip install schemathesis` (4.x), or name it: SCHEMATHESIS=…/bin/st";

/**
 * The checks. Three are left out. API Gateway does the authentication. Valid requests can be rejected, because rules
 * between fields are not in the document. The server has methods that the document does not list.
 */
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "unsupported_method",
];

const { values } = parseArgs({ options: { examples: { type: "string", default: "50" } } });
const examples = whole("examples", values.examples);

const { handlers } = functionsOver(wiringOver(new InMemoryTable()));
const serving = await serve(handlers, { port: 0 });
// A new directory, so that the program remembers nothing of earlier runs, and each run is the same.
const cwd = await mkdtemp(join(tmpdir(), "plat-fuzz-"));
const fuzzer = spawn(
  process.env.SCHEMATHESIS || "st",
  [
    "run",
    `http://127.0.0.1:${serving.port}/openapi.json`,
    `--checks=${CHECKS.join(",")}`,
    `--max-examples=${examples}`,
    "--phases=examples,coverage,fuzzing",
    "--generation-deterministic",
    "--request-timeout=10",
    "--continue-on-failure",
    "--no-color",
  ],
  { stdio: "inherit", cwd },
);
try {
  const [code] = await once(fuzzer, "close");
  process.exitCode = code ?? 1;
} catch (error) {
  console.error(`schemathesis cannot be started (${(error as Error).message}): ${INSTALL}.`);
  process.exitCode = 2;
}
await serving.stop();
await rm(cwd, { recursive: true });
