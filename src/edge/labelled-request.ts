import * as v from "valibot";
import type { Written } from "../allocator/administration.ts";
import type { LabelledWanted } from "../allocator/nodes.ts";
import type { Page } from "../allocator/page.ts";
import type { Labels } from "../domain/labels.ts";
import { LABELLED_PER_PAGE_DEFAULT, LABELLED_PER_PAGE_MAX } from "../domain/limits.ts";
import { chooseManifest, isManifest, type Wanted } from "./choose-manifest.ts";
import { openCursor, sealCursor } from "./cursor.ts";
import { hostText, namespaceName, nodeName } from "./field.ts";
import type { Answer, Event } from "./http.ts";
import { labels } from "./labels.ts";
import { type DryRun, etagOf, type Ignoring, ignored, written } from "./operator-answer.ts";
import { type NamePart, pageEntries, readNamed, readNamedWrite, readQuery } from "./parameters.ts";
import { readIfMatch, readNamedMatch } from "./preconditions.ts";
import { Problem } from "./problem.ts";
import { checked, fields } from "./schema.ts";
import { unreadableBody } from "./unreadable-body.ts";
import { readDocuments } from "./yaml-body.ts";

/** Nodes and namespaces: what has labels, in words of HTTP. */

export const labelledQuery = pageEntries(LABELLED_PER_PAGE_DEFAULT, LABELLED_PER_PAGE_MAX);

const API_VERSIONS = ["v1"];

interface Labelled {
  readonly name: string;
  readonly labels: Labels;
  readonly revision: string;
}

/** One kind of them: how its requests are read and answered. */
function labelledKind(kind: "Node" | "Namespace", of: NamePart, list: "nodes" | "namespaces") {
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
  const listOf = ({ space }: { readonly space: string }) => [list, space];

  return {
    body,
    manifest,
    readOne: (event: Event) => readNamed(event, of),
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

    /** Reads which page of the list is asked for. */
    readList(event: Event): LabelledWanted | Problem {
      const query = readQuery(event, labelledQuery);
      if (query instanceof Problem) return query;
      const { cursor, ...asked } = query;
      // What was registered before paths were minded may end a page.
      const opened = openCursor(cursor, listOf(asked), v.object({ after: hostText }));
      return opened instanceof Problem ? opened : { ...asked, after: opened.position?.after };
    },

    listAnswer(
      { items, unreadable, next }: Page<Labelled, string>,
      _: string,
      wanted: LabelledWanted,
    ): Answer {
      return {
        status: 200,
        body: {
          [list]: items.map(bodyOf),
          ...unreadableBody(unreadable),
          ...(next !== undefined && { next: sealCursor(listOf(wanted), { after: next }) }),
        },
      };
    },
  };
}

export const nodes = labelledKind("Node", { part: "node", schema: nodeName }, "nodes");
export const namespaces = labelledKind(
  "Namespace",
  { part: "namespace", schema: namespaceName },
  "namespaces",
);

export function labelledAnswer(labelled: Labelled): Answer {
  return { status: 200, headers: etagOf(labelled), body: bodyOf(labelled) };
}

export const labelledPutAnswer = (
  result: Written<Labelled>,
  _requestId: string,
  request: DryRun & Ignoring,
): Answer =>
  written(result, request, { ...bodyOf(result.value), ...ignored(request) }, result.value.revision);

export const labelledDeleteAnswer = (
  result: Written<undefined>,
  _requestId: string,
  request: DryRun,
): Answer => written(result, request, {});

const bodyOf = ({ name, labels }: Labelled) => ({ name, labels });
