import * as v from "valibot";
import { next, requestId } from "./parts.ts";

export const contentsRead = v.strictObject({
  requestId,
  contents: v.pipe(
    v.record(v.string(), v.array(v.unknown())),
    v.description(
      'Items by their kind. Values that JSON cannot express have a form of their own: {"$map": [[key, value]]}, {"$set": []}, {"$bigint": ""} and {"$bytes": base64}. Any other key that begins with $ has a second $',
    ),
  ),
  next,
});

export const health = v.strictObject({ status: v.picklist(["ok", "ready"]) });
