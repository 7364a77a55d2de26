/** What answers look like: what the OpenAPI document says of them, and what every test of the API holds them against. */

export * from "./answers/address.ts";
export * from "./answers/affinity.ts";
export * from "./answers/assignment.ts";
export {
  addressInBlock,
  blockRead,
  blockStanding,
  blocksRead,
  blockUsage,
  usageCounted,
} from "./answers/block.ts";
export * from "./answers/configuration.ts";
export * from "./answers/job.ts";
export { hostReserved, missingOfFamily, unreadableItem } from "./answers/parts.ts";
export * from "./answers/pool.ts";
export * from "./answers/problem.ts";
export * from "./answers/registry.ts";
export * from "./answers/release.ts";
export * from "./answers/reservation.ts";
export * from "./answers/service.ts";
export * from "./answers/utilization.ts";
