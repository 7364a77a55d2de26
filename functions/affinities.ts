import { claimAffinities } from "../src/allocator/affinities/claim-range.ts";
import { releaseAffinities, releaseRange } from "../src/allocator/affinities/release-range.ts";
import { ensureBlocks } from "../src/allocator/assign/ensure-blocks.ts";
import {
  affinitiesClaimedAnswer,
  affinitiesReleasedAnswer,
} from "../src/edge/affinities/answer.ts";
import {
  type AffinitiesWanted,
  readAffinityClaim,
  readAffinityRelease,
} from "../src/edge/affinities/request.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

export const affinitiesOver = ({ connect }: Wiring) =>
  authorized<"affinities">(connect, {
    "POST /v1/nodes/{node}/affinities": route(
      readAffinityClaim,
      (plat, wanted: AffinitiesWanted) =>
        "cidr" in wanted ? claimAffinities(plat, wanted) : ensureBlocks(plat, wanted),
      affinitiesClaimedAnswer,
    ),
    "DELETE /v1/nodes/{node}/affinities": route(
      readAffinityRelease,
      (plat, { cidr, ...releasing }) =>
        cidr ? releaseRange(plat, { ...releasing, cidr }) : releaseAffinities(plat, releasing),
      affinitiesReleasedAnswer,
    ),
  });

export const handler = deployed(affinitiesOver);
