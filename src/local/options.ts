import { parseArgs } from "node:util";
import type { PlatOptions } from "./plat.ts";
import { UsageError } from "./usage-error.ts";

export const USAGE = `npm start -- [options]

  --port N              the port to listen on, on 127.0.0.1 (8787; 0 for any free one)
  --data DIR            keep data in this directory; without it, data is gone when this stops
  --reclaim-seconds N   how often empty blocks are looked for (60)
  --collect-seconds N   how often left-overs of crashes are looked for (60)
  --work-seconds N      how often drains and deletions of pools go on (60)
  --deployed [ENV]      run what would be deployed to dev or prod; --deployed --help shows its options
  --help                show this

DYNAMODB_ENDPOINT=URL uses a DynamoDB that runs elsewhere instead of the embedded one.
POWERTOOLS_LOG_LEVEL=INFO prints a line for every request.
`;

export const PORT_MAX = 65_535;
export const SECONDS_MAX = 86_400;

/** Reads the command line and the environment; nothing if only help is wanted. */
export function readOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): PlatOptions | undefined {
  const { values } = parsed(args);
  if (values.help) return undefined;
  const endpoint = environment.DYNAMODB_ENDPOINT || undefined;
  if (endpoint !== undefined && !/^https?:\/\//.test(endpoint))
    throw new UsageError(
      `DYNAMODB_ENDPOINT is "${endpoint}"; it must be a URL such as http://127.0.0.1:8000.`,
    );
  if (values.data === "") throw new UsageError("--data must name a directory.");
  return {
    port: whole("--port", values.port, 0, PORT_MAX),
    data: values.data,
    endpoint,
    reclaimSeconds: whole("--reclaim-seconds", values["reclaim-seconds"], 1, SECONDS_MAX),
    collectSeconds: whole("--collect-seconds", values["collect-seconds"], 1, SECONDS_MAX),
    workSeconds: whole("--work-seconds", values["work-seconds"], 1, SECONDS_MAX),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: "string", default: "8787" },
        data: { type: "string" },
        "reclaim-seconds": { type: "string", default: "60" },
        "collect-seconds": { type: "string", default: "60" },
        "work-seconds": { type: "string", default: "60" },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    // Node's first sentence says what is wrong; the others are about other command lines.
    const [sentence] = (error as Error).message.split(/\.\s/);
    throw new UsageError(`${sentence?.replace(/\.$/, "")}; --help shows the options.`);
  }
}

/** A whole number in words of the command line. */
export function whole(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${option} is "${text}"; it must be a whole number from ${min} to ${max}.`);
}
