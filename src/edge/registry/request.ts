import type { Written } from "../../allocator/admin/written.ts";
import {
  type LabelledRequest,
  namespaceRequest,
  nodeRequest,
} from "../../contract/requests/registry.ts";
import { checked } from "../../contract/schema/schema.ts";
import type { NamespaceSpec } from "../../domain/namespace.ts";
import { chooseManifest, isManifest } from "../http/choose-manifest.ts";
import type { AnswerOf, Event } from "../http/event.ts";
import { readNamedWrite } from "../http/parameters.ts";
import { readIfMatch, readNamedMatch } from "../http/preconditions.ts";
import { type DryRun, deleted, type Ignoring, ignored, written } from "../http/write-answer.ts";
import { readDocuments } from "../http/yaml-body.ts";
import { defaultPoolsAsked } from "../pools/pools-asked.ts";
import { type Labelled, labelledBody } from "./answer.ts";

/** Returns the readers for changes of a node or a namespace. */
function labelledKind(request: LabelledRequest) {
  const { body, manifest, of } = request;

  const readDocument = (document: unknown) => {
    if (!isManifest(document)) {
      const input = checked(body, document);
      const { name, labels, ...more } = input;
      return {
        ...{ labels, ...defaultPoolsAsked(more) },
        ...(name !== undefined && { name: { field: "name", value: name } }),
      };
    }
    const input = checked(manifest, document);
    const { name, labels, annotations } = input.metadata;
    const spec: NamespaceSpec = { labels, ...defaultPoolsAsked(annotations ?? {}) };
    return { ...spec, name: { field: "metadata.name", value: name } };
  };

  return {
    readMatch: (event: Event) => readNamedMatch(event, of),

    /** Reads labels as JSON, or as a manifest of Kubernetes in JSON or YAML. */
    readPut(event: Event) {
      const documents = readDocuments(event);
      const chosen = chooseManifest(event, documents, { kinds: [request], of });
      const document = readDocument(chosen.document);
      const named = readNamedWrite(event, document.name, of);
      const match = readIfMatch(event);
      const { name: _, ...spec } = document;
      return { ...named, ...spec, ...match, ignored: chosen.ignored };
    },
  };
}

export const nodes = labelledKind(nodeRequest);
export const namespaces = labelledKind(namespaceRequest);

export const labelledPutAnswer = (
  result: Written<Labelled>,
  _requestId: string,
  request: DryRun & Ignoring,
): AnswerOf<"PUT /v1/nodes/{node}" | "PUT /v1/namespaces/{namespace}"> =>
  written(
    result,
    request,
    { ...labelledBody(result.value), ...ignored(request) },
    result.value.revision,
  );

export const labelledDeleteAnswer = (
  result: Written<undefined>,
  _requestId: string,
  request: DryRun,
): AnswerOf<"DELETE /v1/nodes/{node}" | "DELETE /v1/namespaces/{namespace}"> =>
  deleted(result, request, {});
