/** `plat-ipam/cdk`: an environment of Plat, and its pools, addresses and prefixes as resources of CloudFormation. */

export * from "../src/constructs/index.ts";
export {
  type IPlatData,
  PlatData,
  type PlatDataAttributes,
  type PlatDataProps,
  type PlatTrailLock,
} from "./plat-data.ts";
export {
  type PlatAccess,
  type PlatConsole,
  type PlatDomain,
  PlatEnvironment,
  type PlatEnvironmentProps,
  type PlatGrantOptions,
  type PlatServiceProps,
} from "./plat-environment.ts";
export {
  type PlatApiKind,
  type PlatRegions,
  PlatStage,
  type PlatStageProps,
  type PlatThrottle,
  type PlatUsagePlan,
} from "./stage.ts";
