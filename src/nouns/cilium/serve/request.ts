import type * as v from "valibot";
import { chooseManifest, parseDocuments } from "../../../api/http/choose-manifest.ts";
import { assignedBy, type Event } from "../../../api/http/event.ts";
import { parseHostWith, rejectOtherName } from "../../../api/http/parameters.ts";
import { NODE } from "../../../api/names.ts";
import { invalid } from "../../../api/schema/problem.ts";
import { checked, rejectDeep } from "../../../api/schema/schema.ts";
import {
  CILIUM_NODE,
  ciliumNodeBody,
  ciliumNodeQuery,
  ciliumReleaseQuery,
} from "../contract/request.ts";
import type { CiliumObject } from "../object.ts";
import type { CiliumRequest } from "../operations/mode.ts";

/** The bytes of `spec.ipam` and `status` of a CiliumNode. An item of DynamoDB has 400 KB. */
const CILIUM_OBJECT_BYTES_MAX = 150_000;

type CiliumNodeBody = v.InferOutput<typeof ciliumNodeBody>;

/** A CiliumNode with all its fields, and what Plat reads of it. */
export interface CiliumNodePut extends CiliumRequest {
  readonly body: CiliumNodeBody;
}

/** Parses a CiliumNode in JSON or YAML. */
export function parseCiliumNodePut(event: Event): CiliumNodePut {
  const documents = parseDocuments(event);
  const chosen = chooseManifest(event, documents, { kinds: [CILIUM_NODE], of: NODE });
  rejectDeep("body", chosen.document);
  const body = checked(ciliumNodeBody, chosen.document);
  const path = parseHostWith(event, ciliumNodeQuery);
  const { families, releaseAfterSeconds, ...asked } = path;
  const { name, resourceVersion } = body.metadata;
  rejectOtherName({ field: "metadata.name", value: name }, path.node);
  const object = objectOf(body);
  const uid = uidOf(body);
  return {
    ...asked,
    uid,
    resourceVersion,
    object,
    ...(families && { families }),
    ...(releaseAfterSeconds !== undefined && { releaseAfterSeconds }),
    ...assignedBy(event),
    body,
  };
}

/** Parses the node of a GET, and the caller, whom pools may serve or not. */
export function parseCiliumNodePath(event: Event) {
  const path = parseHostWith(event, {});
  return { ...path, ...assignedBy(event) };
}

export const parseCiliumNodeRelease = (event: Event) => parseHostWith(event, ciliumReleaseQuery);

/** Returns the uid of the Node that owns the object, so that both show the same; else the object's own. */
function uidOf({ metadata }: CiliumNodeBody): string {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === "Node");
  const uid = owner?.uid ?? metadata.uid;
  if (uid !== undefined) return uid;
  throw invalid({
    field: "metadata.uid",
    problem: "is required, or the uid of the Node in metadata.ownerReferences",
  });
}

function objectOf({ spec, status }: CiliumNodeBody): CiliumObject {
  const object = { ipam: spec.ipam, status } as CiliumObject;
  const bytes = Buffer.byteLength(JSON.stringify(object));
  if (bytes <= CILIUM_OBJECT_BYTES_MAX) return object;
  throw invalid({
    field: "body",
    problem: `has ${bytes} bytes in spec.ipam and status, and may have ${CILIUM_OBJECT_BYTES_MAX}`,
  });
}
