import * as v from "valibot";
import type { ManifestKind } from "../../../api/manifest.ts";
import { resourceName } from "../../../api/schema/field.ts";
import { fields } from "../../../api/schema/schema.ts";

const VERSIONS = ["spiderpool.spidernet.io/v2beta1"];

/** The address family in a manifest of Spiderpool, which follows from the addresses. */
export const ipVersion = v.optional(v.picklist([4, 6], "must be 4 or 6"));

/** Returns a kind of manifest of Spiderpool. */
export const spiderKind = (kind: string): ManifestKind => ({ kind, apiVersions: VERSIONS });

/**
 * Makes the schema of a manifest as Spiderpool writes it. Its spec is taken strictly; the rest of its metadata and its
 * status are the cluster's.
 */
export const spiderManifest = <Kind extends string, Spec extends v.GenericSchema>(
  kind: Kind,
  spec: Spec,
) =>
  fields({
    apiVersion: v.picklist(VERSIONS, `must be ${VERSIONS.join(" or ")}`),
    kind: v.literal(kind, `must be ${kind}, or a list with one`),
    metadata: v.looseObject({ name: resourceName }, "must be an object with a name"),
    spec,
    status: v.optional(v.unknown()),
  });
