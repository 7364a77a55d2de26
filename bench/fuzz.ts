import "../src/local/environment.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openApi } from "../src/contract/openapi.ts";
import { functionsOver } from "../src/local/functions.ts";
import { serve } from "../src/local/server.ts";
import { InMemoryTable } from "../src/table/in-memory-table.ts";
import { wiringOver } from "../src/wiring.ts";
import { whole } from "./load/options.ts";

/**
 * `npm run fuzz`: schemathesis makes requests from the OpenAPI document, and checks every answer by all its checks, over HTTP,
 * on a table in memory. Each run has the same requests. `SCHEMATHESIS` names the program if it is not on the path.
 */

const INSTALL =
  "install it with `pip install schemathesis` (4.x), or name it: SCHEMATHESIS=…/bin/st";

/**
 * The parameters whose valid values the document cannot tell, or that depend on what is stored. `positive_data_acceptance` wants each
 * request to succeed that fits the document, so it leaves out the operations that have one of them.
 */
const UNTOLD: ReadonlySet<string> = new Set([
  "cursor", // made by Plat alone
  "If-Match", // the version of a resource
  "If-None-Match",
  "ip", // a text that an address or a network is read from
  "cidr",
  "handle", // Unicode without the characters that a path loses
]);

/** Every other check runs on every operation. What fails there without a mistake of Plat is here, with its reason. */
const CONFIGURATION = `
# A request that is too large gets 413 or 431 before its fields are read.
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "412", "413", "415", "422", "428", "429", "431", "5xx"]

# The requests of a batch, and events, are answered one by one. The answer to all of them is 200.
[[operations]]
include-path-regex = "/(batch|events)$"
include-method = "POST"
checks.negative_data_rejection.enabled = false

# A read ignores an If-None-Match that is no ETag, as if it had none.
[[operations]]
include-path-regex = "/config$"
include-method = ["GET", "HEAD"]
checks.negative_data_rejection.enabled = false

# The path is also that of a node with the name "complete", which has more methods.
[[operations]]
include-path-regex = "/nodes/complete$"
checks.unsupported_method.enabled = false
`;

/** Returns the part of the configuration for operations with bodies, which have rules between fields, and with untold parameters. */
function rejectingSome(): string {
  const { paths } = openApi() as unknown as { readonly paths: Readonly<Record<string, Methods>> };
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(
          ([, { requestBody, parameters = [] }]) =>
            requestBody !== undefined || parameters.some(({ name }) => UNTOLD.has(name)),
        )
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    )
    .map(
      (name) =>
        `[[operations]]\ninclude-name = ${JSON.stringify(name)}\nchecks.positive_data_acceptance.enabled = false\n`,
    )
    .join("\n");
}

type Methods = Readonly<
  Record<
    string,
    { readonly requestBody?: unknown; readonly parameters?: readonly { readonly name: string }[] }
  >
>;

const { values } = parseArgs({ options: { examples: { type: "string", default: "50" } } });
const examples = whole("examples", values.examples);

const { handlers } = functionsOver(wiringOver(new InMemoryTable()));
const serving = await serve(handlers, { port: 0 });
// A new directory, so that the program remembers nothing of earlier runs, and each run is the same.
const cwd = await mkdtemp(join(tmpdir(), "plat-fuzz-"));
await writeFile(join(cwd, "schemathesis.toml"), `${CONFIGURATION}\n${rejectingSome()}`);
const fuzzer = spawn(
  process.env.SCHEMATHESIS || "st",
  [
    "run",
    `http://127.0.0.1:${serving.port}/openapi.json`,
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
