import * as v from "valibot";
import { ignored, next, unreadable, written } from "./parts.ts";

const labelled = {
  name: v.string(),
  labels: v.record(v.string(), v.string()),
};

export const labelledRead = v.strictObject(labelled);

export const nodesRead = v.strictObject({ nodes: v.array(labelledRead), unreadable, next });

export const namespacesRead = v.strictObject({
  namespaces: v.array(labelledRead),
  unreadable,
  next,
});

export const labelledWritten = v.strictObject({ ...labelled, ...written, ignored });

export const labelledDeleted = v.strictObject(written);
