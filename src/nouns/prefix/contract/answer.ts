import * as v from "valibot";
import {
  attributes,
  CALLER,
  family,
  next,
  requestId,
  time,
  unreadableItem,
} from "../../../api/answer-parts.ts";
import { explanation } from "../../address/contract/assignment-answer.ts";

const prefix = { cidr: v.string(), family, pool: v.string() };

export const assignedPrefix = v.strictObject(prefix);

export const prefixAssignment = v.strictObject({
  requestId,
  handle: v.string(),
  prefixes: v.array(assignedPrefix),
});

export const prefixAssigned = v.union([prefixAssignment, explanation]);

export const heldPrefix = v.strictObject({
  ...prefix,
  handle: v.string(),
  attributes: v.optional(attributes),
  description: v.optional(v.string()),
  tags: v.optional(v.array(v.string())),
  assignedBy: v.optional(
    v.pipe(v.string(), v.description(`The caller that requested the prefix: ${CALLER}`)),
  ),
  assignedAt: v.optional(time),
});

export const prefixesRead = v.strictObject({ requestId, prefixes: v.array(heldPrefix), next });

export const prefixesReleased = v.strictObject({
  requestId,
  handle: v.string(),
  released: v.pipe(v.array(v.string()), v.description("The prefixes that this request released")),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Whether all prefixes that it meant are released. If not, send the same request again",
    ),
  ),
  unreadable: v.optional(
    v.pipe(
      v.array(unreadableItem),
      v.description("Items that this version cannot read. Their prefixes stay assigned"),
    ),
  ),
});
