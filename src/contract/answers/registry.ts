import * as v from "valibot";
import { ignored, next, unreadable, written } from "./parts.ts";

const labelled = {
  name: v.string(),
  labels: v.record(v.string(), v.string()),
};

export const labelledRead = v.strictObject(labelled);

export const nodesRead = v.strictObject({ nodes: v.array(labelledRead), unreadable, next });

const pools = v.optional(v.array(v.string()));
const namespace = {
  ...labelled,
  ...{ defaultPools: pools, ipv4DefaultPools: pools, ipv6DefaultPools: pools },
};

export const namespaceRead = v.strictObject(namespace);

export const namespacesRead = v.strictObject({
  namespaces: v.array(namespaceRead),
  unreadable,
  next,
});

export const labelledWritten = v.strictObject({ ...labelled, ...written, ignored });

export const namespaceWritten = v.strictObject({ ...namespace, ...written, ignored });

export const labelledDeleted = v.strictObject(written);
