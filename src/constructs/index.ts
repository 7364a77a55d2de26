/** `plat-ipam/cdk`: addresses, prefixes and pools of Plat as resources of CloudFormation. */

export { PlatAddress, type PlatAddressProps } from "./plat-address.ts";
export { PlatApi, type PlatApiProps } from "./plat-api.ts";
export { type IPlatPool, PlatPool, type PlatPoolProps } from "./plat-pool.ts";
export { PlatPrefix, type PlatPrefixProps } from "./plat-prefix.ts";
