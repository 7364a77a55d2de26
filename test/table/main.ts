/**
 * The program of `npm run test:contract -- --endpoint URL`, or `-- --moto`. It runs the contract
 * suite against a DynamoDB that is not embedded.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { motoProgram } from "./moto.ts";

const USAGE = `npm run test:contract -- --endpoint URL | --moto

  --endpoint URL   any DynamoDB; a table with a random name is made there and deleted at the end.
                   Region and credentials are AWS's own variables; elsewhere than in AWS none are needed.
  --moto           moto's server (pip install 'moto[server]'), started for the run

Without either, the embedded DynamoDB.
`;

const VITEST = fileURLToPath(new URL("vitest.mjs", import.meta.resolve("vitest/package.json")));
const SUITE = fileURLToPath(new URL("dynamodb-table.test.ts", import.meta.url));

process.exitCode = main(process.argv.slice(2));

function main(args: string[]): number {
  const { values } = parseArgs({
    args,
    options: {
      endpoint: { type: "string" },
      moto: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { endpoint, moto, help } = values;
  if (help) {
    console.log(USAGE);
    return 0;
  }
  const wrong =
    endpoint !== undefined && moto
      ? "--endpoint and --moto exclude each other."
      : endpoint !== undefined && !/^https?:\/\//.test(endpoint)
        ? `--endpoint is "${endpoint}"; it must be a URL such as http://127.0.0.1:8000.`
        : moto && !motoProgram()
          ? "--moto needs moto_server on the PATH: pip install 'moto[server]'."
          : undefined;
  if (wrong !== undefined) {
    console.error(wrong);
    return 2;
  }
  const { status } = spawnSync(process.execPath, [VITEST, "run", SUITE], {
    stdio: "inherit",
    env: {
      ...process.env,
      CONTRACT_ENDPOINT: endpoint ?? "",
      CONTRACT_MOTO: moto ? "yes" : "",
    },
  });
  return status ?? 1;
}
