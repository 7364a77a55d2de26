import { makeDirectory } from "../src/local/data-directory.ts";
import { readTwinOptions, USAGE } from "./options.ts";
import { startTwinOf } from "./twin.ts";

/**
 * Starts the twin for `npm start -- --deployed`, and returns it with the text for the terminal. Returns nothing if the
 * command line asks for help.
 */
export async function startDeployed(args: readonly string[]) {
  const options = readTwinOptions(args);
  if (!options) {
    console.log(USAGE);
    return undefined;
  }
  const { environment, data, scheduleSeconds } = options;
  if (data !== undefined) makeDirectory(data);
  const twin = await startTwinOf(environment, options);
  const { accessKeyId, secretAccessKey } = twin.callers[0] ?? {};
  const isByIam = twin.deployment.api.routes.some(({ authorizer }) => authorizer.type === "iam");
  const sentences = [
    `The twin of ${environment}: ${twin.deployment.functions.length} functions on Node.js 24, ${twin.deployment.api.routes.length} routes, as the templates have them.`,
    data === undefined
      ? "Data is kept in memory only and is gone when this stops"
      : `Data is kept in ${data}`,
    `Logs of the functions are in ${twin.logs.directory}`,
    ...(scheduleSeconds === undefined
      ? []
      : [`Schedules come every ${scheduleSeconds} s, whatever the templates say`]),
    isByIam
      ? `Requests must be signed, for the Region ${twin.deployment.region}: export AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=${secretAccessKey}`
      : "Requests must have a token: export PLAT_TOKEN=…",
    ...twin.callers
      .slice(1)
      .map(({ name, ...keys }) => `As ${name}: ${keys.accessKeyId} ${keys.secretAccessKey}`),
  ];
  return { ...twin, sentence: sentences.join("\n") };
}
