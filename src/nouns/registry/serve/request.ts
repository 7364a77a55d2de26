import { chooseManifest, isManifest, parseDocuments } from "../../../api/http/choose-manifest.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { parseNamedWrite } from "../../../api/http/parameters.ts";
import {
  type DryRun,
  deleted,
  type Ignoring,
  ignored,
  parseIfMatch,
  parseNamedMatch,
  written,
} from "../../../api/http/write.ts";
import type { ManifestKind } from "../../../api/manifest.ts";
import { NAMESPACE, type NamePart, NODE } from "../../../api/names.ts";
import type { Written } from "../../../kernel/core/written.ts";
import type { Namespace } from "../../namespace/namespace.ts";
import type { Node } from "../../node/node.ts";
import { namespaceOf, nodeOf } from "../contract/answer.ts";
import {
  NAMESPACE_MANIFEST,
  NODE_MANIFEST,
  parseNamespace,
  parseNamespaceManifest,
  parseNode,
  parseNodeManifest,
  type RegistryDocument,
} from "../contract/request.ts";

/** A node or a namespace: the part of a path that names it, its manifest, and the readers of both forms of its body. */
interface LabelledKind<Spec> {
  readonly of: NamePart;
  readonly manifest: ManifestKind;
  readonly read: (document: unknown) => RegistryDocument<Spec>;
  readonly readManifest: (document: unknown) => RegistryDocument<Spec>;
}

/** Returns the readers for changes of a node or a namespace. */
const labelledKind = <Spec>({ of, manifest, read, readManifest }: LabelledKind<Spec>) => ({
  readMatch: (event: Event) => parseNamedMatch(event, of),

  /** Reads its fields as JSON, or as a manifest of Kubernetes in JSON or YAML. */
  readPut(event: Event) {
    const documents = parseDocuments(event);
    const { document, ignored } = chooseManifest(event, documents, { kinds: [manifest], of });
    const { name, spec } = isManifest(document) ? readManifest(document) : read(document);
    const named = parseNamedWrite(event, name, of);
    return { ...named, spec, ...parseIfMatch(event), ignored };
  },
});

export const nodes = labelledKind({
  of: NODE,
  manifest: NODE_MANIFEST,
  read: parseNode,
  readManifest: parseNodeManifest,
});

export const namespaces = labelledKind({
  of: NAMESPACE,
  manifest: NAMESPACE_MANIFEST,
  read: parseNamespace,
  readManifest: parseNamespaceManifest,
});

export const nodePutAnswer = (
  result: Written<Node>,
  _requestId: string,
  request: DryRun & Ignoring,
): AnswerOf<"PUT /v1/nodes/{node}"> => {
  const { value } = result;
  return written(result, request, { ...nodeOf(value), ...ignored(request) }, value.revision);
};

export const namespacePutAnswer = (
  result: Written<Namespace>,
  _requestId: string,
  request: DryRun & Ignoring,
): AnswerOf<"PUT /v1/namespaces/{namespace}"> => {
  const { value } = result;
  return written(result, request, { ...namespaceOf(value), ...ignored(request) }, value.revision);
};

export const labelledDeleteAnswer = (
  result: Written<undefined>,
  _requestId: string,
  request: DryRun,
): AnswerOf<"DELETE /v1/nodes/{node}" | "DELETE /v1/namespaces/{namespace}"> =>
  deleted(result, request, {});
