import * as v from "valibot";
import { flag, newNode, nodeName, text } from "../../../api/schema/field.ts";
import { labels } from "../../../api/schema/labels.ts";
import { fields, isRecord, list } from "../../../api/schema/schema.ts";
import { EVENTS_PER_REQUEST_MAX, NODES_PER_LIST_MAX, POD_CIDRS_MAX } from "../../../base/limits.ts";

/** Conditions of a node that Plat keeps, and the characters of each text of a report. */
const NODE_CONDITIONS_MAX = 64;
const NODE_TEXT_CHARACTERS_MAX = 253;
/** Taints of a node that a patch can have. */
const NODE_TAINTS_MAX = 256;
/** Digits of a resourceVersion. Kubernetes makes it of 64 bits. */
const RESOURCE_VERSION_DIGITS_MAX = 32;
/** The name of a cluster, such as the uid of its Namespace `kube-system`. */
const CLUSTER_CHARACTERS_MAX = 64;

const OBJECT = "must be an object";

/** The types of watch events. https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes */
const WATCH_TYPES = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"] as const;

/** An object with the entries that Plat reads. It ignores all others. */
export const loose = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.looseObject(entries, OBJECT);

/** An event of a watch of Kubernetes, for OpenAPI. `parseEvent` parses it by its kind. */
export const watchEvent = loose({
  type: v.picklist(WATCH_TYPES, `must be ${WATCH_TYPES.join(", ")}`),
  object: loose({ kind: text }),
});

/** An event of EventBridge. */
export const cloudEvent = loose({
  source: text,
  "detail-type": text,
  detail: loose({}),
});

/** The cluster of events or of a list of nodes. */
export const cluster = v.pipe(
  text,
  v.regex(
    new RegExp(`^[\\w.-]{1,${CLUSTER_CHARACTERS_MAX}}$`),
    `must be 1 to ${CLUSTER_CHARACTERS_MAX} letters, digits, _ . or -, such as the uid of the Namespace kube-system`,
  ),
);

export const eventList = fields({
  cluster: v.optional(cluster),
  assign: v.pipe(
    v.optional(v.boolean("must be true or false"), true),
    v.description("False if a Node without podCIDRs gets none"),
  ),
  events: list(
    v.unknown(),
    { min: 1, max: EVENTS_PER_REQUEST_MAX },
    {
      type: "must be an array of events",
      min: "must have an event",
      max: `must have at most ${EVENTS_PER_REQUEST_MAX} events; send several requests`,
    },
  ),
});

/** Any of the bodies, before its form is known. */
export const anyEvents = v.custom<Readonly<Record<string, unknown>>>(isRecord, OBJECT);

export const shortText = v.pipe(
  text,
  v.maxLength(NODE_TEXT_CHARACTERS_MAX, `must have at most ${NODE_TEXT_CHARACTERS_MAX} characters`),
);

const objectUid = v.pipe(
  text,
  v.regex(/^[\w.-]{1,64}$/, "must be the uid of the object: 1 to 64 letters, digits, _ . or -"),
);

export const resourceVersion = v.pipe(
  text,
  v.regex(
    new RegExp(`^\\d{1,${RESOURCE_VERSION_DIGITS_MAX}}$`),
    "must be the resourceVersion of the object, a whole number as text",
  ),
);

const time = v.pipe(
  text,
  v.regex(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/,
    "must be a time such as 2026-03-11T08:12:45Z",
  ),
  v.check((value) => !Number.isNaN(Date.parse(value)), "must be a time"),
);

const incarnation = { uid: objectUid, resourceVersion, creationTimestamp: time };

export const array = <Item extends v.GenericSchema>(item: Item, max: number) =>
  list(item, { max }, { type: "must be an array", max: `must have at most ${max} entries` });

export const nodeDeleted = loose({ metadata: loose({ name: nodeName, ...incarnation }) });

export const nodeStated = loose({
  metadata: loose({
    name: newNode,
    ...incarnation,
    labels: v.optional(labels, {}),
    annotations: v.optional(loose({}), {}),
  }),
  spec: v.optional(
    loose({
      podCIDR: v.optional(shortText),
      podCIDRs: v.optional(array(shortText, POD_CIDRS_MAX)),
      providerID: v.optional(text),
      unschedulable: v.optional(v.boolean("must be true or false"), false),
      taints: v.optional(array(loose({ key: text, effect: text }), NODE_TAINTS_MAX), []),
    }),
    {},
  ),
  status: v.optional(
    loose({
      conditions: v.optional(
        array(
          loose({
            type: shortText,
            status: v.picklist(["True", "False", "Unknown"], "must be True, False or Unknown"),
            reason: v.optional(v.nullable(shortText)),
            lastHeartbeatTime: v.optional(v.nullable(time)),
          }),
          NODE_CONDITIONS_MAX,
        ),
        [],
      ),
    }),
    {},
  ),
});

export const podSaid = loose({
  metadata: loose({ name: shortText, uid: objectUid }),
  status: v.optional(loose({ phase: v.optional(text) }), {}),
});

export const leaseSaid = loose({
  metadata: loose({ name: nodeName, namespace: v.optional(text) }),
  spec: loose({ renewTime: time }),
});

/** A complete list of the nodes of a cluster. */
export const nodeListBody = fields({
  cluster,
  resourceVersion,
  nodes: array(
    fields({
      name: newNode,
      uid: objectUid,
      podCIDRs: v.optional(array(shortText, POD_CIDRS_MAX), []),
    }),
    NODES_PER_LIST_MAX,
  ),
  dryRun: v.optional(flag, false),
});

const machineId = v.pipe(text, v.regex(/^[\w-]{1,128}$/, "must be the id of an instance"));

export const instanceState = loose({ detail: loose({ "instance-id": machineId, state: text }) });

export const instanceTerminated = loose({ detail: loose({ EC2InstanceId: machineId }) });
