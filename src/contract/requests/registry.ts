import * as v from "valibot";
import { LABELLED_PER_PAGE_DEFAULT, LABELLED_PER_PAGE_MAX } from "../../domain/limits.ts";
import { labels } from "../schema/labels.ts";
import { fields } from "../schema/schema.ts";
import { NAMESPACE, type NamePart, NODE } from "./names.ts";
import { pageEntries } from "./query.ts";

export const labelledQuery = pageEntries(LABELLED_PER_PAGE_DEFAULT, LABELLED_PER_PAGE_MAX);

const API_VERSIONS = ["v1"];

/** Makes the bodies that register a node or a namespace: its labels, or its manifest. */
function labelledRequest(kind: "Node" | "Namespace", of: NamePart) {
  return {
    kind,
    apiVersions: API_VERSIONS,
    of,
    body: fields({
      labels: v.optional(labels, {}),
      // A caller can change the answer of a GET and PUT it back.
      name: v.optional(of.schema),
    }),
    /** A manifest as `kubectl get -o yaml` prints it. Plat takes its labels and ignores the rest. */
    manifest: fields({
      apiVersion: v.picklist(API_VERSIONS, `must be ${API_VERSIONS.join(" or ")}`),
      kind: v.literal(kind, `must be ${kind}, or a list with one`),
      metadata: v.looseObject(
        { name: of.schema, labels: v.optional(labels, {}) },
        "must be an object with a name",
      ),
      spec: v.optional(v.unknown()),
      status: v.optional(v.unknown()),
    }),
  };
}

export type LabelledRequest = ReturnType<typeof labelledRequest>;

export const nodeRequest = labelledRequest("Node", NODE);
export const namespaceRequest = labelledRequest("Namespace", NAMESPACE);
