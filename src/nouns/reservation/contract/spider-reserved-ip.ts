import * as v from "valibot";
import { checked, fields, rule } from "../../../api/schema/schema.ts";
import { ipVersion, spiderKind, spiderManifest } from "../../pool/contract/spider-manifest.ts";
import { type ReservationDocument, reservationSpec, reservedIntervals } from "./request.ts";

export const SPIDER_RESERVED_IP = spiderKind("SpiderReservedIP");

const spec = v.pipe(
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
);

/**
 * A reservation as Spiderpool writes it.
 *
 * @see https://github.com/spidernet-io/spiderpool/blob/main/docs/reference/crd-spiderreservedip.md
 */
export const reservedIpManifest = spiderManifest("SpiderReservedIP", spec);

export function parseReservedIp(value: unknown): ReservationDocument {
  const input = checked(reservedIpManifest, value);
  const { metadata, spec } = input;
  return {
    name: { field: "metadata.name", value: metadata.name },
    spec: reservationSpec({ cidrs: spec.ips }),
  };
}
