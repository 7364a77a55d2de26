/** `plat-ipam/cdk`: an environment of Plat, and its pools, addresses and prefixes as resources of CloudFormation. */

export { PlatAddress, type PlatAddressProps } from "../src/constructs/plat-address.ts";
export { PlatApi, type PlatApiProps } from "../src/constructs/plat-api.ts";
export { type IPlatPool, PlatPool, type PlatPoolProps } from "../src/constructs/plat-pool.ts";
export { PlatPrefix, type PlatPrefixProps } from "../src/constructs/plat-prefix.ts";
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
