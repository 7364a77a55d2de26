import * as v from "valibot";
import type { Written } from "../allocator/administration.ts";
import { chooseManifest, isManifest, type Wanted } from "./choose-manifest.ts";
import type { Answer, Event } from "./http.ts";
import { type Labelled, labelledBody, NAMESPACE, NODE } from "./labelled-answer.ts";
import { labels } from "./labels.ts";
import { type DryRun, type Ignoring, ignored, written } from "./operator-answer.ts";
import { type NamePart, readNamedWrite } from "./parameters.ts";
import { readIfMatch, readNamedMatch } from "./preconditions.ts";
import { Problem } from "./problem.ts";
import { checked, fields } from "./schema.ts";
import { readDocuments } from "./yaml-body.ts";

/** Nodes and namespaces, what has labels, as they are changed. */

const API_VERSIONS = ["v1"];

/** One kind of them: how its changes are read. */
function labelledKind(kind: "Node" | "Namespace", of: NamePart) {
  const wanted: Wanted = { kind, apiVersions: API_VERSIONS, of };
  const body = fields({
    labels: v.optional(labels, {}),
    // What a GET answers can be changed and PUT back.
    name: v.optional(of.schema),
  });
  /** As `kubectl get -o yaml` prints it: its labels are taken, and nothing else of it is looked at. */
  const manifest = fields({
    apiVersion: v.picklist(API_VERSIONS, `must be ${API_VERSIONS.join(" or ")}`),
    kind: v.literal(kind, `must be ${kind}, or a list with one`),
    metadata: v.looseObject(
      { name: of.schema, labels: v.optional(labels, {}) },
      "must be an object with a name",
    ),
    spec: v.optional(v.unknown()),
    status: v.optional(v.unknown()),
  });

  const readDocument = (document: unknown) => {
    if (!isManifest(document)) {
      const input = checked(body, document);
      if (input instanceof Problem) return input;
      const { name, labels } = input;
      return { labels, ...(name !== undefined && { name: { field: "name", value: name } }) };
    }
    const input = checked(manifest, document);
    if (input instanceof Problem) return input;
    const { name, labels } = input.metadata;
    return { labels, name: { field: "metadata.name", value: name } };
  };

  return {
    body,
    manifest,
    readMatch: (event: Event) => readNamedMatch(event, of),

    /** Reads labels as JSON, or as a manifest of Kubernetes in JSON or YAML. */
    readPut(event: Event) {
      const documents = readDocuments(event);
      if (documents instanceof Problem) return documents;
      const chosen = chooseManifest(event, documents, wanted);
      if (chosen instanceof Problem) return chosen;
      const document = readDocument(chosen.document);
      if (document instanceof Problem) return document;
      const named = readNamedWrite(event, document.name, of);
      if (named instanceof Problem) return named;
      const match = readIfMatch(event);
      if (match instanceof Problem) return match;
      return { ...named, labels: document.labels, ...match, ignored: chosen.ignored };
    },
  };
}

export const nodes = labelledKind("Node", NODE);
export const namespaces = labelledKind("Namespace", NAMESPACE);

export const labelledPutAnswer = (
  result: Written<Labelled>,
  _requestId: string,
  request: DryRun & Ignoring,
): Answer =>
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
): Answer => written(result, request, {});
