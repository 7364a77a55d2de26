// What stands for Lambda's runtime in the process of an execution environment: it loads the handler that `_HANDLER` names,
// says so, and calls it once for each event that comes. A handler that throws is answered for; whatever throws outside of a
// call ends the process, as it does there. https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

const channel = { send: process.send.bind(process), on: process.on.bind(process) };
// A function has no channel to whoever started it.
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

/** https://docs.aws.amazon.com/lambda/latest/dg/nodejs-context.html */
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
