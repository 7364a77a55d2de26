import * as v from "valibot";

const error = v.pipe(
  v.string(),
  v.description("Sentences on what could not be granted; empty if all was."),
);

/** A CiliumNode. Its fields are Cilium's, so those that Plat does not set are not listed. */
export const ciliumNodeRead = v.looseObject({
  apiVersion: v.string(),
  kind: v.string(),
  metadata: v.looseObject({ name: v.string() }),
  spec: v.looseObject({ ipam: v.looseObject({ podCIDRs: v.optional(v.array(v.string())) }) }),
  status: v.looseObject({
    ipam: v.looseObject({ "operator-status": v.looseObject({ error }) }),
    operator: v.looseObject({ error }),
  }),
});

export const ciliumNodeReleased = v.strictObject({ released: v.array(v.string()) });
