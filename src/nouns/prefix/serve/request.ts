import { readJson } from "../../../api/http/body.ts";
import { assignedBy, type Event } from "../../../api/http/event.ts";
import { readHostWith } from "../../../api/http/parameters.ts";
import {
  podCidrListQuery,
  podCidrReleaseQuery,
  podCidrsBody,
} from "../contract/node-prefix-request.ts";
import type { PrefixesWanted } from "../operations/ensure-prefixes.ts";
import type { PrefixRelease } from "../operations/release-prefixes.ts";

export function readPodCidrs(event: Event): PrefixesWanted {
  const input = readJson(event, podCidrsBody);
  const path = readHostWith(event, {});
  const { podCIDRs: podCidrs, hostLabels, ...asked } = input;
  return {
    ...path,
    ...asked,
    podCidrs,
    ...(hostLabels && { hostLabels }),
    ...assignedBy(event),
  };
}

export const readPodCidrList = (event: Event) => readHostWith(event, podCidrListQuery);

export const readPodCidrRelease = (event: Event): PrefixRelease =>
  readHostWith(event, podCidrReleaseQuery);
