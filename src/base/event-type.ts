/** The types of events: what can happen to addresses, prefixes, blocks and pools, in the words of the callers. */
export const EVENT_TYPES = [
  "AddressAssigned",
  "AddressChanged",
  "AddressReleased",
  "AddressExpired",
  "AddressConflict",
  "PrefixAssigned",
  "PrefixReleased",
  "BlockClaimed",
  "BlockReleased",
  "PoolCreated",
  "PoolChanged",
  "PoolDeleted",
  "PoolDrained",
  "PoolThresholdCrossed",
  "PoolExhausted",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];
