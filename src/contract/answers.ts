/** The schemas of answers. The OpenAPI document contains them, and every test of the API checks answers with them. */

export { hostReserved, missingOfFamily, unreadableItem } from "../api/answer-parts.ts";
export * from "../api/problem-answer.ts";
export * from "../nouns/address/contract/answer.ts";
export * from "../nouns/address/contract/assignment-answer.ts";
export * from "../nouns/address/contract/batch-answer.ts";
export * from "../nouns/address/contract/release-answer.ts";
export * from "../nouns/address/contract/search-answer.ts";
export * from "../nouns/affinity/contract/answer.ts";
export * from "../nouns/alarm/contract/answer.ts";
export * from "../nouns/application/contract/answer.ts";
export {
  addressInBlock,
  blockRead,
  blockStatus,
  blocksRead,
  blockUsage,
  usageCounted,
} from "../nouns/block/contract/answer.ts";
export * from "../nouns/cilium/contract/answer.ts";
export * from "../nouns/contents/contract/answer.ts";
export { EVENTS, event } from "../nouns/event/contract/answer.ts";
export * from "../nouns/event/contract/history-answer.ts";
export * from "../nouns/job/contract/answer.ts";
export * from "../nouns/node/contract/answer.ts";
export { poolRead, poolsRead, poolWritten } from "../nouns/pool/contract/answer.ts";
export * from "../nouns/prefix/contract/answer.ts";
export * from "../nouns/prefix/contract/node-prefix-answer.ts";
export * from "../nouns/quota/contract/answer.ts";
export * from "../nouns/registry/contract/answer.ts";
export * from "../nouns/reservation/contract/answer.ts";
export * from "../nouns/service/contract/answer.ts";
export * from "../nouns/settings/contract/answer.ts";
export * from "../nouns/space/contract/answer.ts";
export * from "../nouns/utilization/contract/answer.ts";
export * from "../nouns/utilization/contract/history-answer.ts";
export * from "../nouns/utilization/contract/map-answer.ts";
