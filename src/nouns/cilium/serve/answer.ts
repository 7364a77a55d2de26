import type { AnswerOf } from "../../../api/http/event.ts";
import { isRecord } from "../../../api/schema/schema.ts";
import { CILIUM_NODE } from "../contract/request.ts";
import type { CiliumObject } from "../object.ts";
import type { CiliumGrant } from "../operations/mode.ts";
import type { CiliumNodeRead } from "../operations/read-cilium-node.ts";
import type { CiliumNodePut } from "./request.ts";

/** Answers a CiliumNode with Plat's fields filled in. All others are as they came. */
export function ciliumNodeAnswer(
  grant: CiliumGrant,
  _requestId: string,
  { body, object }: CiliumNodePut,
): AnswerOf<"PUT /v1/nodes/{node}/cilium"> {
  const { spec, status } = granted(object, grant);
  const own = ownAddresses(body.spec, grant);
  return { status: 200, body: { ...body, spec: { ...body.spec, ...spec, ...own }, status } };
}

/** Answers the fields of a CiliumNode that Plat stores. */
export function ciliumNodeReadAnswer(
  { report, grant }: CiliumNodeRead,
  _requestId: string,
  { node: name }: { readonly node: string },
): AnswerOf<"GET /v1/nodes/{node}/cilium"> {
  const { kind, apiVersions } = CILIUM_NODE;
  const [apiVersion] = apiVersions;
  return {
    status: 200,
    body: { apiVersion, kind, metadata: { name }, ...granted(report.object, grant) },
  };
}

export const ciliumNodeReleasedAnswer = (
  released: readonly string[],
): AnswerOf<"DELETE /v1/nodes/{node}/cilium"> => ({
  status: 200,
  body: { released },
});

/** Returns the fields with the addresses of the node itself, if its Node has any. They replace those of the same type. */
function ownAddresses(
  spec: Readonly<Record<string, unknown>>,
  { addresses, health }: Pick<CiliumGrant, "addresses" | "health">,
) {
  const said = Array.isArray(spec.addresses) ? spec.addresses : [];
  const others = said.filter((each) => !isRecord(each) || each.type !== INTERNAL);
  return {
    ...(addresses && { addresses: [...others, ...addresses] }),
    ...(health && { health: { ...(isRecord(spec.health) && spec.health), ...health } }),
  };
}

const INTERNAL = "CiliumInternalIP";

function granted({ ipam, status }: CiliumObject, grant: CiliumGrant) {
  const error = grant.errors.join(" ");
  const { releaseIps } = grant;
  return {
    spec: { ipam: { ...ipam, ...grant.ipam } },
    status: {
      ...status,
      operator: { ...status.operator, error },
      ipam: {
        ...status.ipam,
        ...(releaseIps && { "release-ips": releaseIps }),
        "operator-status": { ...status.ipam?.["operator-status"], error },
      },
    },
  };
}
