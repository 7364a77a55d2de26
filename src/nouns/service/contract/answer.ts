import * as v from "valibot";

export const health = v.strictObject({ status: v.picklist(["ok", "ready"]) });
