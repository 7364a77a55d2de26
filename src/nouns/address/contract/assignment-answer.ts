import * as v from "valibot";
import {
  candidate,
  family,
  hostReserved,
  interfaceOf,
  missing,
  network,
  poolRule,
  problemCode,
  requestId,
  time,
  whole,
} from "../../../api/answer-parts.ts";

export const rejection = v.looseObject({ code: problemCode, detail: v.string() });

export const assignedAddress = v.strictObject({
  address: v.string(),
  family,
  block: v.string(),
  pool: v.string(),
  generation: v.string(),
  borrowed: v.boolean(),
  ...network,
  interface: interfaceOf,
  expiresAt: v.optional(time),
});

export const assignment = v.strictObject({
  requestId,
  handle: v.string(),
  addresses: v.array(assignedAddress),
  requested: whole,
  hostReserved: v.optional(
    v.pipe(
      v.union([
        hostReserved,
        v.strictObject({ ipv4: v.optional(hostReserved), ipv6: v.optional(hostReserved) }),
      ]),
      v.description("The host-reserved addresses in blocks that this request claimed"),
    ),
  ),
  messages: v.array(v.string()),
  missing,
});

export const poolConsidered = v.strictObject(candidate);

export const blockToUse = v.strictObject({
  action: v.picklist(["own", "claim", "seize", "borrow", "create", "share", "alreadyAssigned"]),
  block: v.string(),
  pool: v.string(),
  count: whole,
});

export const familyExplanation = v.strictObject({
  interface: interfaceOf,
  family,
  requested: whole,
  rejection: v.optional(rejection),
  rule: poolRule,
  pools: v.array(poolConsidered),
  blocks: v.array(blockToUse),
});

export const explanation = v.strictObject({
  requestId,
  dryRun: v.literal(true),
  requested: whole,
  rejection: v.optional(rejection),
  messages: v.array(v.string()),
  missing,
  families: v.array(familyExplanation),
});

export const assigned = v.union([assignment, explanation]);
