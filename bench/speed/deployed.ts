import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { REPLACED } from "../../cdk/bundling.ts";
import { lambdaNode } from "../../twin/node.ts";
import { bundled, LAMBDA } from "../loading.ts";
import { makePool } from "../pool.ts";
import { Bed } from "./bed.ts";
import { median } from "./turns.ts";

const CALLER = fileURLToPath(new URL("./deployed-caller.mjs", import.meta.url));
const CALLS_PER_TURN = 100;
/** The first turns find code that V8 has not compiled yet. */
const WARM_UP_TURNS = 3;

/**
 * Returns the processor time of a warm assign in its bundle, where that of a bundle that makes one GetItem is 1: the
 * median of turns that both take by turns. Both run in Lambda's Node.js and call the embedded DynamoDB, whose own time
 * does not count.
 */
export async function assignToGetItem(turns: number): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), "plat-"));
  const bed = await Bed.open();
  const processes: ChildProcess[] = [];
  try {
    const context = bed.coldFunction();
    await context.store.checkKeys();
    await makePool(context, { space: "default", name: "pods", cidr: "10.0.0.0/16" });
    const node = await lambdaNode();
    const started = async (name: string, entry: string) => {
      const bundle = await bundled(entry, REPLACED, directory);
      const child = fork(CALLER, [pathToFileURL(bundle).href, name], {
        execPath: node,
        execArgv: [],
        stdio: ["ignore", "ignore", "inherit", "ipc"],
        env: {
          ...LAMBDA,
          TABLE_NAME: bed.tableName,
          DYNAMODB_ENDPOINT: bed.endpoint,
          AWS_ENDPOINT_URL_DYNAMODB: bed.endpoint,
          POWERTOOLS_METRICS_NAMESPACE: "Plat",
          POWERTOOLS_SERVICE_NAME: "plat",
        },
      });
      processes.push(child);
      await once(child, "message");
      return async (): Promise<number> => {
        child.send(CALLS_PER_TURN);
        return (await once(child, "message"))[0];
      };
    };
    const assign = await started("assign", "functions/assign.ts");
    const getItem = await started("getItem", "bench/get-item/client.ts");
    const ratios: number[] = [];
    for (let turn = 0; turn < WARM_UP_TURNS + turns; turn++) {
      const ours = await assign();
      ratios.push(ours / (await getItem()));
    }
    return median(ratios.slice(WARM_UP_TURNS));
  } finally {
    for (const child of processes) child.kill();
    await bed.stop();
    await rm(directory, { recursive: true });
  }
}
