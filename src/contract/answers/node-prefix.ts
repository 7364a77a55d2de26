import * as v from "valibot";
import { family, time } from "./parts.ts";

const prefix = {
  cidr: v.string(),
  family,
  pool: v.string(),
  state: v.picklist(["pending", "confirmed"]),
  expiresAt: v.optional(time),
};

export const podCidr = v.strictObject(prefix);

export const podCidrsEnsured = v.strictObject({
  node: v.string(),
  uid: v.string(),
  podCIDRs: v.array(podCidr),
  write: v.optional(
    v.strictObject({
      node: v.optional(
        v.pipe(v.array(v.string()), v.description("The `spec.podCIDRs` for the Node object")),
      ),
      cloud: v.optional(v.array(v.string())),
    }),
  ),
  event: v.optional(
    v.strictObject({
      reason: v.pipe(v.string(), v.description("The reason of the event, as in Kubernetes")),
      message: v.string(),
    }),
  ),
});

export const listedPodCidr = v.strictObject({ ...prefix, uid: v.string() });

export const podCidrsRead = v.strictObject({
  node: v.string(),
  podCIDRs: v.array(listedPodCidr),
});

export const podCidrsReleased = v.strictObject({ released: v.array(v.string()) });
