import type { CiliumGrant } from "../../allocator/cilium/mode.ts";
import type { CiliumNodeRead } from "../../allocator/cilium/read-cilium-node.ts";
import { CILIUM_NODE } from "../../contract/requests/cilium-node.ts";
import type { CiliumObject } from "../../domain/cilium-object.ts";
import type { Answer } from "../http/event.ts";
import type { CiliumNodePut } from "./request.ts";

/** Answers a CiliumNode with Plat's fields filled in. All others are as they came. */
export function ciliumNodeAnswer(
  grant: CiliumGrant,
  _requestId: string,
  { body, object }: CiliumNodePut,
): Answer {
  const { spec, status } = granted(object, grant);
  return { status: 200, body: { ...body, spec: { ...body.spec, ...spec }, status } };
}

/** Answers the fields of a CiliumNode that Plat stores. */
export function ciliumNodeReadAnswer(
  { report, grant }: CiliumNodeRead,
  _requestId: string,
  { node: name }: { readonly node: string },
): Answer {
  const { kind, apiVersions } = CILIUM_NODE;
  const [apiVersion] = apiVersions;
  return {
    status: 200,
    body: { apiVersion, kind, metadata: { name }, ...granted(report.object, grant) },
  };
}

export const ciliumNodeReleasedAnswer = (released: readonly string[]): Answer => ({
  status: 200,
  body: { released },
});

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
