import * as v from "valibot";
import { ASSIGNMENT_MODES, ASSIGNS, BORROWING, USES } from "../../domain/pool.ts";
import { POOL_KINDS } from "../../domain/pool-network.ts";
import { ignored, networkSettings, next, unreadable, whole, written } from "./parts.ts";

/** The fields of a pool that its operator sets. */
export const poolFields = {
  cidr: v.string(),
  assign: v.picklist(ASSIGNS),
  parent: v.optional(v.string()),
  blockSize: whole,
  disabled: v.boolean(),
  assignmentMode: v.picklist(ASSIGNMENT_MODES),
  allowedUses: v.optional(v.array(v.picklist(USES))),
  nodeSelector: v.optional(v.string()),
  namespaceSelector: v.optional(v.string()),
  podSelector: v.optional(v.string()),
  nodeNames: v.optional(v.array(v.string())),
  namespaceNames: v.optional(v.array(v.string())),
  networks: v.optional(v.array(v.string())),
  principals: v.optional(v.array(v.string())),
  borrowing: v.optional(v.picklist(BORROWING)),
  cooldownSeconds: v.optional(whole),
  ranges: v.optional(v.array(v.string())),
  excludes: v.optional(v.array(v.string())),
  kind: v.optional(v.picklist(POOL_KINDS)),
  prefixLength: v.optional(whole),
  ...networkSettings,
  routing: v.optional(v.record(v.string(), v.union([v.string(), v.boolean()]))),
};

const pool = {
  name: v.string(),
  ...poolFields,
  state: v.optional(v.string()),
  job: v.optional(v.string()),
};

export const poolRead = v.strictObject(pool);

export const poolsRead = v.strictObject({ pools: v.array(poolRead), unreadable, next });

export const poolWritten = v.strictObject({ ...pool, ...written, ignored });
