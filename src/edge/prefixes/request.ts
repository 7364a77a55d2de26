import type { PrefixesWanted } from "../../allocator/prefixes/ensure-prefixes.ts";
import type { PrefixRelease } from "../../allocator/prefixes/release-prefixes.ts";
import {
  podCidrListQuery,
  podCidrReleaseQuery,
  podCidrsBody,
} from "../../contract/requests/node-prefix.ts";
import { readJson } from "../http/body.ts";
import { assignedBy, type Event } from "../http/event.ts";
import { readHostWith } from "../http/parameters.ts";

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
