// Takes the place of Lambda's runtime in the process of an execution environment. It loads the handler that `_HANDLER`
// names, reports that, and calls the handler once for each event. If the handler throws, the runtime answers with the
// error. Any other uncaught error ends the process, as in Lambda.
// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

const channel = { send: process.send.bind(process), on: process.on.bind(process) };
// A function has no channel to its parent process.
process.send = undefined;

const { LAMBDA_TASK_ROOT, _HANDLER } = process.env;
const [, file, name] = /^(.*)\.([^.]+)$/.exec(_HANDLER);
const found = [".mjs", ".js", ".cjs"].find((end) =>
  existsSync(`${LAMBDA_TASK_ROOT}/${file}${end}`),
);

channel.on("disconnect", () => process.exit());
channel.on("message", async ({ payload, deadlineMs, context }) => {
  try {
    const handler = (await loaded)[name];
    const result = await handler(JSON.parse(payload), contextOf(context, deadlineMs));
    channel.send({ payload: JSON.stringify(result ?? null) });
  } catch (error) {
    console.error(error);
    channel.send({ error: errorOf(error) });
  }
});

const loaded = import(pathToFileURL(`${LAMBDA_TASK_ROOT}/${file}${found}`).href);
loaded.then(
  (module) =>
    typeof module[name] === "function"
      ? channel.send({ ready: true })
      : channel.send({ unfit: `${_HANDLER} is undefined or not exported` }),
  (error) => channel.send({ unfit: error?.stack ?? String(error) }),
);

/** Makes the context object of a call (https://docs.aws.amazon.com/lambda/latest/dg/nodejs-context.html). */
function contextOf(context, deadlineMs) {
  return {
    ...context,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(deadlineMs - Date.now(), 0),
  };
}

function errorOf(error) {
  const { name = "Error", message = String(error), stack = "" } = error ?? {};
  return { errorType: name, errorMessage: message, trace: stack.split("\n") };
}
