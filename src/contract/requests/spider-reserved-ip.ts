import * as v from "valibot";
import { resourceName } from "../schema/field.ts";
import { Problem } from "../schema/problem.ts";
import { checked, fields, rule } from "../schema/schema.ts";
import type { ManifestKind } from "./manifest.ts";
import { type ReservationDocument, reservedIntervals } from "./reservation.ts";

export const SPIDERPOOL_VERSIONS = ["spiderpool.spidernet.io/v2beta1"];

export const SPIDER_RESERVED_IP: ManifestKind = {
  kind: "SpiderReservedIP",
  apiVersions: SPIDERPOOL_VERSIONS,
};

/** The address family in a manifest of Spiderpool, which follows from the addresses. */
export const ipVersion = v.optional(v.picklist([4, 6], "must be 4 or 6"));

/**
 * A reservation as Spiderpool writes it. Its spec is taken strictly; the rest of its metadata and its status are the
 * cluster's.
 *
 * @see https://github.com/spidernet-io/spiderpool/blob/main/docs/reference/crd-spiderreservedip.md
 */
export const reservedIpManifest = fields({
  apiVersion: v.picklist(SPIDERPOOL_VERSIONS, `must be ${SPIDERPOOL_VERSIONS.join(" or ")}`),
  kind: v.literal("SpiderReservedIP", "must be SpiderReservedIP, or a list with one"),
  metadata: v.looseObject({ name: resourceName }, "must be an object with a name"),
  spec: v.pipe(
    fields({ ipVersion, ips: reservedIntervals }),
    rule(({ ipVersion, ips }) =>
      ips.flatMap(({ text, interval: { family } }, i) =>
        ipVersion === undefined || ipVersion === family
          ? []
          : [
              {
                field: `ips[${i}]`,
                value: text,
                problem: `must be IPv${ipVersion}, as ipVersion says`,
              },
            ],
      ),
    ),
  ),
  status: v.optional(v.unknown()),
});

export function readReservedIp(value: unknown): ReservationDocument | Problem {
  const input = checked(reservedIpManifest, value);
  if (input instanceof Problem) return input;
  const { metadata, spec } = input;
  return { name: { field: "metadata.name", value: metadata.name }, cidrs: spec.ips };
}
