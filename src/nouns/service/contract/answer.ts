import * as v from "valibot";

export const health = v.strictObject({ status: v.picklist(["ok", "ready"]) });

const commit = v.pipe(
  v.string(),
  v.description("The commit that the server was built of. A server that runs its sources has none"),
);

export const versionRead = v.strictObject({
  version: v.pipe(v.string(), v.description("The version of the server")),
  commit: v.optional(commit),
});

export const grant = v.strictObject({
  role: v.pipe(v.string(), v.description("The role: `reader`, `caller`, `cluster` or `operator`")),
  space: v.pipe(v.string(), v.description("The space of the role, or `*` for every space")),
});

export const principalRead = v.strictObject({
  principal: v.pipe(v.string(), v.description("The caller, as events and histories name it")),
  tenant: v.optional(v.pipe(v.string(), v.description("The tenant that the token names"))),
  grants: v.optional(
    v.pipe(
      v.array(grant),
      v.description("The roles of the caller. Absent with IAM, whose policies decide"),
    ),
  ),
});
