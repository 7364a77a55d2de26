import * as v from "valibot";
import { next, requestId, unreadableItems } from "../../../api/answer-parts.ts";

export const spaceListed = v.strictObject({ name: v.string() });

export const spacesRead = v.strictObject({
  requestId,
  spaces: v.array(spaceListed),
  unreadable: unreadableItems,
  next,
});
