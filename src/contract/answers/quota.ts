import * as v from "valibot";
import { next, unreadable, whole, written } from "./parts.ts";

const quota = {
  name: v.string(),
  principal: v.optional(v.string()),
  tenant: v.optional(v.string()),
  addresses: v.optional(whole),
  prefixes: v.optional(whole),
  blocks: v.optional(whole),
  requestsPerSecond: v.optional(whole),
};

export const quotaRead = v.strictObject(quota);

export const quotasRead = v.strictObject({ quotas: v.array(quotaRead), unreadable, next });

export const quotaWritten = v.strictObject({ ...quota, ...written });

export const quotaDeleted = v.strictObject(written);
