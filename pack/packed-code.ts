import { fileURLToPath } from "node:url";
import { Code } from "aws-cdk-lib/aws-lambda";
import type { DeployedFunctionName } from "../cdk/access.ts";

/** Returns the code of a function in the package, which has its bundle beside the constructs (`cdk/code.ts` makes it). */
export const codeOf = (name: DeployedFunctionName): Code =>
  Code.fromAsset(fileURLToPath(new URL(`./functions/${name}`, import.meta.url)));
