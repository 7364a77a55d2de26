import { lambdaNode } from "../../twin/node.ts";

/** Installs Lambda's Node.js before the tests, so that no test waits for it. Without it, the tests that need it fail. */
export async function setup(): Promise<void> {
  await lambdaNode().catch((error: Error) => console.error(error.message));
}
