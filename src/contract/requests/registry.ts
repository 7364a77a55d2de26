import * as v from "valibot";
import { LABELLED_PER_PAGE_DEFAULT, LABELLED_PER_PAGE_MAX } from "../../domain/limits.ts";
import { defaultPoolsAnnotated } from "../schema/default-pools.ts";
import { labels } from "../schema/labels.ts";
import {
  type DefaultPoolNames,
  defaultPoolNames,
  oneWayToNameDefaults,
} from "../schema/pool-names.ts";
import { fields, rule } from "../schema/schema.ts";
import { NAMESPACE, type NamePart, NODE } from "./names.ts";
import { pageEntries } from "./query.ts";

export const labelledQuery = pageEntries(LABELLED_PER_PAGE_DEFAULT, LABELLED_PER_PAGE_MAX);

const API_VERSIONS = ["v1"];

/** The fields of a body, or of a manifest's metadata. */
interface LabelledFields extends Partial<DefaultPoolNames> {
  readonly labels: Readonly<Record<string, string>>;
  readonly name?: string | undefined;
  readonly annotations?: Partial<DefaultPoolNames>;
}

/** The requests that register a node or a namespace: as its fields, or as its manifest. */
export interface LabelledRequest {
  readonly kind: "Node" | "Namespace";
  readonly apiVersions: readonly string[];
  readonly of: NamePart;
  readonly body: v.GenericSchema<unknown, LabelledFields>;
  /** A manifest as `kubectl get -o yaml` prints it. Plat ignores what it does not know. */
  readonly manifest: v.GenericSchema<
    unknown,
    { readonly metadata: LabelledFields & { readonly name: string } }
  >;
}

/**
 * @param more the fields of the body beside the labels
 * @param metadata those of a manifest's metadata
 */
function labelledRequest(
  kind: LabelledRequest["kind"],
  of: NamePart,
  more: v.ObjectEntries = {},
  metadata: v.ObjectEntries = {},
): LabelledRequest {
  return {
    kind,
    apiVersions: API_VERSIONS,
    of,
    body: fields({
      labels: v.optional(labels, {}),
      ...more,
      // A caller can change the answer of a GET and PUT it back.
      name: v.optional(of.given),
    }) as LabelledRequest["body"],
    manifest: fields({
      apiVersion: v.picklist(API_VERSIONS, `must be ${API_VERSIONS.join(" or ")}`),
      kind: v.literal(kind, `must be ${kind}, or a list with one`),
      metadata: v.looseObject(
        { name: of.given, labels: v.optional(labels, {}), ...metadata },
        "must be an object with a name",
      ),
      spec: v.optional(v.unknown()),
      status: v.optional(v.unknown()),
    }) as LabelledRequest["manifest"],
  };
}

/** The status of an answer is ignored, so that the answer can be sent back. */
export const nodeRequest = labelledRequest("Node", NODE, { status: v.optional(v.unknown()) });

const namespaceAsSent = labelledRequest("Namespace", NAMESPACE, defaultPoolNames, {
  annotations: v.optional(defaultPoolsAnnotated),
});

export const namespaceRequest: LabelledRequest = {
  ...namespaceAsSent,
  body: v.pipe(
    namespaceAsSent.body,
    rule((input) => oneWayToNameDefaults(input)),
  ),
};
