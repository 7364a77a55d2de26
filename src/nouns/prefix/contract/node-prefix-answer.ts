import * as v from "valibot";
import { family, time } from "../../../api/answer-parts.ts";
import { type AnswerField, schemasOf, telling, told } from "../../../api/noun.ts";
import { type Timed, timeOrNone } from "../../../base/time.ts";
import { formatCidr } from "../../../net/cidr.ts";
import type { NodePrefix } from "../../node/prefixes.ts";

const tell = telling<NodePrefix>();

/** The fields of a prefix that a node has. */
const PREFIX = {
  cidr: tell(v.string(), ({ cidr }) => formatCidr(cidr)),
  family: tell(family, ({ cidr }) => cidr.family),
  pool: tell(v.string(), ({ pool }) => pool),
  state: tell(v.picklist(["pending", "confirmed"]), ({ expiresAtMs }) =>
    expiresAtMs === undefined ? "confirmed" : "pending",
  ),
  expiresAt: tell(v.optional(time), ({ expiresAtMs }) => timeOrNone(expiresAtMs)),
} satisfies Readonly<Record<keyof Timed<NodePrefix> | "family" | "state", AnswerField<NodePrefix>>>;

const prefix = schemasOf(PREFIX);

/** Returns a prefix as answers write it. */
export const nodePrefixOf = (one: NodePrefix) => told(PREFIX, one);

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
