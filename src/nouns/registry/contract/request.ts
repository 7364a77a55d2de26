import * as v from "valibot";
import type { ManifestKind } from "../../../api/manifest.ts";
import { NAMESPACE, type NameInBody, NODE } from "../../../api/names.ts";
import { type Inputs, kept, part, type RequestFields, readsOf, specOf } from "../../../api/noun.ts";
import { pageEntries } from "../../../api/query.ts";
import { json, text } from "../../../api/schema/field.ts";
import { labels } from "../../../api/schema/labels.ts";
import {
  type DefaultPoolNames,
  defaultPoolNames,
  defaultPoolsOf,
  oneWayToNameDefaults,
  poolList,
} from "../../../api/schema/pool-names.ts";
import { checked, fields, rule } from "../../../api/schema/schema.ts";
import { LABELLED_PER_PAGE_MAX } from "../../../base/limits.ts";
import type { Labels } from "../../../net/labels.ts";
import type { NamespaceSpec } from "../../namespace/namespace.ts";
import type { Node } from "../../node/node.ts";

/** Nodes or namespaces on a page of a list, unless the request has a limit; with all their labels they take 4 MB. */
const LABELLED_PER_PAGE_DEFAULT = 100;

export const labelledQuery = pageEntries(LABELLED_PER_PAGE_DEFAULT, LABELLED_PER_PAGE_MAX);

export const nodesQuery = {
  ...labelledQuery,
  fields: v.optional(v.picklist(["status"], "must be status, or be left out")),
};

type NodeSpec = Omit<Node, "space" | "name" | "id" | "revision">;

interface NodeInput {
  readonly labels: Labels;
}

interface NamespaceInput extends NodeInput, Partial<DefaultPoolNames> {}

/** The fields of a node that its operator sets. */
export const NODE_FIELDS = {
  labels: { read: v.optional(labels, {}) },
} satisfies RequestFields<NodeSpec, NodeInput>;

/** The fields of a namespace that its operator sets. The value has the three lists of default pools as one. */
export const NAMESPACE_FIELDS = {
  labels: { read: v.optional(labels, {}) },
  defaultPools: {
    ...kept(defaultPoolNames.defaultPools, (_, namespace: NamespaceInput) =>
      defaultPoolsOf(namespace),
    ),
    words:
      "The pools of a request that names none: names, CIDRs and patterns. Those of the namespace come before those of the request. One list serves both families.",
  },
  ipv4DefaultPools: {
    ...part(defaultPoolNames.ipv4DefaultPools),
    words:
      "The default pools of IPv4 alone, in place of `defaultPools`. Without `ipv6DefaultPools` no IPv6 pool serves.",
  },
  ipv6DefaultPools: {
    ...part(defaultPoolNames.ipv6DefaultPools),
    words:
      "The default pools of IPv6 alone, in place of `defaultPools`. Without `ipv4DefaultPools` no IPv4 pool serves.",
  },
} satisfies RequestFields<NamespaceSpec, NamespaceInput>;

export const nodeBody = fields({
  ...readsOf(NODE_FIELDS),
  // A caller can change the answer of a GET and PUT it back.
  status: v.optional(v.unknown()),
  name: v.optional(NODE.given),
});

export const namespaceBody = v.pipe(
  fields({
    ...readsOf(NAMESPACE_FIELDS),
    // A caller can change the answer of a GET and PUT it back.
    name: v.optional(NAMESPACE.given),
  }),
  rule((input) => oneWayToNameDefaults(input)),
);

const API_VERSIONS = ["v1"];

export const NODE_MANIFEST: ManifestKind = { kind: "Node", apiVersions: API_VERSIONS };
export const NAMESPACE_MANIFEST: ManifestKind = { kind: "Namespace", apiVersions: API_VERSIONS };

/** Makes the schema of a manifest as `kubectl get -o yaml` prints it. Plat ignores what it does not know. */
const registered = <Kind extends string, Metadata extends v.ObjectEntries>(
  kind: Kind,
  metadata: Metadata,
) =>
  fields({
    apiVersion: v.picklist(API_VERSIONS, `must be ${API_VERSIONS.join(" or ")}`),
    kind: v.literal(kind, `must be ${kind}, or a list with one`),
    metadata: v.looseObject(metadata, "must be an object with a name"),
    spec: v.optional(v.unknown()),
    status: v.optional(v.unknown()),
  });

export const nodeManifest = registered("Node", {
  name: NODE.given,
  labels: NODE_FIELDS.labels.read,
});

/** The annotations of a namespace that have its default pools, by family (Spiderpool's docs/reference/annotation.md). */
const IPV4_POOLS = "ipam.spidernet.io/default-ipv4-ippool";
const IPV6_POOLS = "ipam.spidernet.io/default-ipv6-ippool";

/** A list of pools as JSON in a text. */
const poolsInText = v.pipe(
  text,
  v.metadata({
    description: "The default pools of the namespace for one family, as JSON in a text",
    examples: ['["default-ipv4"]'],
  }),
  json('must be JSON: an array of names of pools, such as ["default-ipv4"]'),
  poolList,
);

/** The annotations of a namespace. The result has a list of each family. */
const defaultPoolsAnnotated = v.pipe(
  v.looseObject(
    { [IPV4_POOLS]: v.optional(poolsInText, "[]"), [IPV6_POOLS]: v.optional(poolsInText, "[]") },
    "must be an object of strings",
  ),
  v.transform((annotations) => ({
    ipv4DefaultPools: annotations[IPV4_POOLS],
    ipv6DefaultPools: annotations[IPV6_POOLS],
  })),
);

export const namespaceManifest = registered("Namespace", {
  name: NAMESPACE.given,
  labels: NAMESPACE_FIELDS.labels.read,
  annotations: v.optional(defaultPoolsAnnotated),
});

/** The content of the body of a PUT, in either of its forms. */
export interface RegistryDocument<Spec> {
  readonly name?: NameInBody | undefined;
  readonly spec: Spec;
}

const nodeSpec = (input: Inputs<typeof NODE_FIELDS> & NodeInput): NodeSpec =>
  specOf<NodeSpec, NodeInput>(NODE_FIELDS, input);

const namespaceSpec = (input: Inputs<typeof NAMESPACE_FIELDS> & NamespaceInput): NamespaceSpec =>
  specOf<NamespaceSpec, NamespaceInput>(NAMESPACE_FIELDS, input);

/** Parses a node in Plat's own form. */
export function parseNode(value: unknown): RegistryDocument<NodeSpec> {
  const { name, ...input } = checked(nodeBody, value);
  return { ...named(name), spec: nodeSpec(input) };
}

/** Parses a namespace in Plat's own form. */
export function parseNamespace(value: unknown): RegistryDocument<NamespaceSpec> {
  const { name, ...input } = checked(namespaceBody, value);
  return { ...named(name), spec: namespaceSpec(input) };
}

const named = (name: string | undefined) =>
  name === undefined ? {} : { name: { field: "name", value: name } };

export function parseNodeManifest(value: unknown): RegistryDocument<NodeSpec> {
  const { name, labels } = checked(nodeManifest, value).metadata;
  return { name: { field: "metadata.name", value: name }, spec: nodeSpec({ labels }) };
}

export function parseNamespaceManifest(value: unknown): RegistryDocument<NamespaceSpec> {
  const { name, labels, annotations } = checked(namespaceManifest, value).metadata;
  return {
    name: { field: "metadata.name", value: name },
    spec: namespaceSpec({ labels, ...annotations }),
  };
}
