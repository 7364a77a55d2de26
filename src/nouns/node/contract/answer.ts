import * as v from "valibot";
import { problemCode, requestId, time, whole } from "../../../api/answer-parts.ts";
import { podCidr } from "../../prefix/contract/node-prefix-answer.ts";

const taint = v.looseObject({ key: v.string(), effect: v.string() });

export const nodePatch = v.pipe(
  v.strictObject({
    metadata: v.strictObject({ uid: v.string(), resourceVersion: v.string() }),
    spec: v.strictObject({
      taints: v.optional(v.pipe(v.array(taint), v.description("All taints of the node"))),
      podCIDR: v.optional(v.pipe(v.string(), v.description("The first of its prefixes"))),
      podCIDRs: v.optional(v.array(v.string())),
    }),
  }),
  v.description("A JSON merge patch for the Node object, with what it lacks"),
);

export const eventResult = v.strictObject({
  index: v.pipe(whole, v.description("The place of the event in the request")),
  kind: v.pipe(v.string(), v.description("The kind of the event's object, or of its detail")),
  name: v.pipe(v.string(), v.description("The name of the event's object, or of the instance")),
  status: v.pipe(
    v.picklist(["applied", "stale", "ignored", "rejected", "failed"]),
    v.description(
      "`stale` means: a later event is known. `ignored` means: nothing follows from it, as of a Pod whose handle has nothing. `rejected` means: malformed, or of a node of another cluster. `failed` means: send it again",
    ),
  ),
  code: v.optional(problemCode),
  detail: v.optional(v.string()),
  podCIDRs: v.optional(v.array(podCidr)),
  patch: v.optional(nodePatch),
});

export const eventsApplied = v.strictObject({ requestId, results: v.array(eventResult) });

const names = (words: string) => v.pipe(v.array(v.string()), v.description(words));

export const nodesCompleted = v.strictObject({
  requestId,
  ended: names("The nodes that two complete lists lacked. They end as by a DELETED event"),
  missing: names("The nodes that a later list ends if it lacks them too"),
  send: names("The nodes whose events Plat should get: it does not know them as the list has them"),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Whether the request did all that follows from the list. Otherwise send it again",
    ),
  ),
  dryRun: v.optional(v.literal(true)),
});

export const nodeStatus = v.strictObject({
  uid: v.pipe(v.string(), v.description("The uid of the Node object")),
  resourceVersion: v.pipe(v.string(), v.description("The last version that Plat saw")),
  cluster: v.optional(v.pipe(v.string(), v.description("The cluster that reports the node"))),
  zone: v.pipe(v.string(), v.description("`region/zone`; empty if the node has neither")),
  podCIDRs: v.pipe(v.array(v.string()), v.description("The prefixes that the Node object has")),
  conditions: v.pipe(
    v.record(v.string(), v.string()),
    v.description("The status of each condition. A silent node has `Unknown`"),
  ),
  reason: v.optional(v.pipe(v.string(), v.description("Why `Ready` is not `True`"))),
  lastSeenAt: v.pipe(
    time,
    v.description("When the heartbeat or the Lease of the node changed last"),
  ),
  taints: v.pipe(
    v.array(v.strictObject({ key: v.string(), effect: v.string() })),
    v.description("The taints that the node should have because of its conditions"),
  ),
});

const rate = v.pipe(v.number(), v.minValue(0));

export const zoneRead = v.strictObject({
  zone: v.pipe(v.string(), v.description("`region/zone`; empty for nodes that have neither")),
  nodes: v.pipe(whole, v.description("The nodes that the cluster reports")),
  ready: v.pipe(whole, v.description("Nodes whose condition `Ready` is `True`")),
  notReady: v.pipe(
    whole,
    v.description("Nodes whose condition `Ready` is something else, or absent"),
  ),
  state: v.picklist(["Normal", "PartialDisruption", "FullDisruption"]),
  evictionsPerSecond: v.pipe(
    rate,
    v.description("The nodes a second that Kubernetes would taint `NoExecute`"),
  ),
});

export const zonesRead = v.strictObject({
  zones: v.pipe(v.array(zoneRead), v.description("The zones, in the order of their names")),
  allDisrupted: v.pipe(
    v.boolean(),
    v.description(
      "Whether all zones with nodes that count are disrupted in full, so that nothing is evicted",
    ),
  ),
  gone: v.pipe(
    v.strictObject({
      due: v.pipe(whole, v.description("Ended nodes whose quarantine is over")),
      held: v.pipe(
        whole,
        v.description("Those of them that keep what they have, because too many ended at once"),
      ),
    }),
    v.description("Nodes that ended and still have something"),
  ),
});
