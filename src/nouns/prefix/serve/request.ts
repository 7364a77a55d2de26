import { parseBody } from "../../../api/http/body.ts";
import { assignedBy, type Event } from "../../../api/http/event.ts";
import { parseHostWith } from "../../../api/http/parameters.ts";
import {
  podCidrListQuery,
  podCidrReleaseQuery,
  podCidrsBody,
} from "../contract/node-prefix-request.ts";
import type { PrefixesWanted } from "../operations/ensure-prefixes.ts";
import type { PrefixRelease } from "../operations/release-prefixes.ts";

export function parsePodCidrs(event: Event): PrefixesWanted {
  const input = parseBody(event, podCidrsBody);
  const path = parseHostWith(event, {});
  const { podCIDRs: podCidrs, hostLabels, ...asked } = input;
  return {
    ...path,
    ...asked,
    podCidrs,
    ...(hostLabels && { hostLabels }),
    ...assignedBy(event),
  };
}

export const parsePodCidrList = (event: Event) => parseHostWith(event, podCidrListQuery);

export const parsePodCidrRelease = (event: Event): PrefixRelease =>
  parseHostWith(event, podCidrReleaseQuery);
