/** `plat-ipam/cdk`: an environment of Plat, and its pools, addresses and prefixes as resources of CloudFormation. */

export * from "../src/constructs/index.ts";
export {
  type PlatAccess,
  type PlatConsole,
  type PlatDomain,
  PlatEnvironment,
  type PlatEnvironmentProps,
  type PlatGrantOptions,
} from "./plat-environment.ts";
