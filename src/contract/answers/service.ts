import * as v from "valibot";
import { next, requestId } from "./parts.ts";

export const contentsRead = v.strictObject({
  requestId,
  contents: v.pipe(
    v.record(v.string(), v.array(v.unknown())),
    v.description(
      'Items by their kind, as the product has them: {"$map": [[key, value]]}, {"$set": []}, {"$bigint": ""} and {"$bytes": base64} stand for what JSON has no words for, and any other key that begins with $ has one $ more',
    ),
  ),
  next,
});

export const health = v.strictObject({ status: v.picklist(["ok", "ready"]) });
