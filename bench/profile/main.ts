import "../../src/local/environment.ts";
import { parseArgs } from "node:util";
import { tableText } from "../../src/local/tally.ts";
import { whole } from "../load/options.ts";
import { profileAssign } from "./assign.ts";

/**
 * `npm run bench:profile [-- --assigns 500]`: prints the processor time of a warm assign in the deployed function. It
 * also prints the shares of the SDK and of Plat. It uses the twin of prod with Lambda's Node.js.
 */

const { values } = parseArgs({ options: { assigns: { type: "string", default: "500" } } });
const { processorMs, shares } = await profileAssign(whole("assigns", values.assigns));
const rows = [...shares]
  .sort(([, a], [, b]) => b - a)
  .map(([of, share]) => ({
    of,
    "share, %": (100 * share).toFixed(1),
    "ms an assign": (share * processorMs).toFixed(3),
  }));
console.log(tableText(rows));
const sum = (prefix: string) =>
  [...shares].reduce((total, [of, share]) => total + (of.startsWith(prefix) ? share : 0), 0);
console.log(
  `A warm assign takes ${processorMs.toFixed(2)} ms of the processor: the SDK ${(100 * sum("the SDK")).toFixed(0)} %, ours ${(100 * sum("ours")).toFixed(0)} %. The rest is Node.js, V8 and the runtime.`,
);
