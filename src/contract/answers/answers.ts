/** The schemas of answers. The OpenAPI document contains them, and every test of the API checks answers with them. */

export * from "./address.ts";
export * from "./affinity.ts";
export * from "./application.ts";
export * from "./assignment.ts";
export * from "./batch.ts";
export {
  addressInBlock,
  blockRead,
  blockStatus,
  blocksRead,
  blockUsage,
  usageCounted,
} from "./block.ts";
export * from "./cilium-node.ts";
export * from "./configuration.ts";
export { EVENTS, event } from "./event.ts";
export * from "./happened.ts";
export * from "./history.ts";
export * from "./job.ts";
export * from "./map.ts";
export * from "./node.ts";
export * from "./node-prefix.ts";
export { hostReserved, missingOfFamily, unreadableItem } from "./parts.ts";
export { poolRead, poolsRead, poolWritten } from "./pool.ts";
export * from "./prefix.ts";
export * from "./problem.ts";
export * from "./quota.ts";
export * from "./registry.ts";
export * from "./release.ts";
export * from "./reservation.ts";
export * from "./search.ts";
export * from "./service.ts";
export * from "./space.ts";
export * from "./utilization.ts";
