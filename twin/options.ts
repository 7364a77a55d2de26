import { parseArgs } from "node:util";
import { ENVIRONMENT_NAMES, type EnvironmentName, isEnvironmentName } from "../cdk/environments.ts";
import { PORT_MAX, SECONDS_MAX, whole } from "../src/local/options.ts";
import { UsageError } from "../src/local/usage-error.ts";
import type { TwinOptions } from "./twin.ts";

export const USAGE = `npm start -- --deployed [${ENVIRONMENT_NAMES.join("|")}] [options]

Runs what would be deployed: the synthesised templates and bundles (prod, unless said otherwise).

  --port N               the port to listen on, on 127.0.0.1 (8787; 0 for any free one)
  --data DIR             keep data in this directory; without it, data is gone when this stops
  --schedule-seconds N   how often each schedule comes, in place of the template's rate
  --help                 show this
`;

const FLAG = "--deployed";
const ENVIRONMENT_DEFAULT: EnvironmentName = "prod";

/** Removes `--deployed [dev|prod]` from a command line; returns the environment and the rest. */
export function environmentOf(args: readonly string[]): {
  readonly environment: EnvironmentName;
  readonly rest: readonly string[];
} {
  const at = args.findIndex((arg) => arg === FLAG || arg.startsWith(`${FLAG}=`));
  const [, inline] = (args[at] ?? "").split("=");
  const next = args[at + 1];
  const isNext = inline === undefined && next !== undefined && !next.startsWith("-");
  const named = inline ?? (isNext ? next : ENVIRONMENT_DEFAULT);
  if (!isEnvironmentName(named))
    throw new UsageError(
      `--deployed is "${named}"; it must be ${ENVIRONMENT_NAMES.join(" or ")}, or nothing for ${ENVIRONMENT_DEFAULT}.`,
    );
  return { environment: named, rest: args.toSpliced(at, isNext ? 2 : 1) };
}

/** Reads the command line of the twin; returns nothing if the command line asks for help. */
export function readTwinOptions(
  args: readonly string[],
): (TwinOptions & { readonly environment: EnvironmentName }) | undefined {
  const { environment, rest } = environmentOf(args);
  const { values } = parsed(rest);
  if (values.help) return undefined;
  if (values.data === "") throw new UsageError("--data must name a directory.");
  const seconds = values["schedule-seconds"];
  return {
    environment,
    port: whole("--port", values.port, 0, PORT_MAX),
    data: values.data,
    scheduleSeconds:
      seconds === undefined ? undefined : whole("--schedule-seconds", seconds, 1, SECONDS_MAX),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: "string", default: "8787" },
        data: { type: "string" },
        "schedule-seconds": { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    const [sentence] = (error as Error).message.split(/\.\s/);
    throw new UsageError(`${sentence?.replace(/\.$/, "")}; --deployed --help shows the options.`);
  }
}
